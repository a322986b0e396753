import { check } from "@insurance-gateway/core/contract";
import fc, { type Arbitrary } from "fast-check";
import { expect, it } from "vitest";
import { importDocument } from "../src/document/references.ts";
import { lossReport } from "../src/report.ts";
import type { Side } from "../src/schemas/model.ts";
import { schemaReader } from "../src/schemas/read-schema.ts";
import { createSchemaOf } from "../src/schemas/zod-of.ts";
import { judgeOf } from "./judge.ts";

const names = fc.constantFrom("a", "b", "c");

/** The components to which the random schemas refer; some refer to one another. */
const components = {
  First: {
    type: "object",
    properties: { a: { type: "string" }, b: { $ref: "#/components/schemas/Second" } },
    required: ["a"],
  },
  Second: {
    type: "object",
    properties: { c: { type: "array", items: { $ref: "#/components/schemas/First" } } },
  },
  Third: {
    allOf: [
      { $ref: "#/components/schemas/Second" },
      { type: "object", properties: { f: { type: "integer" } }, required: ["f"] },
    ],
  },
  Cat: {
    type: "object",
    properties: { kind: { type: "string" }, a: { type: "string" } },
    required: ["kind"],
  },
  Dog: {
    type: "object",
    properties: { kind: { type: "string" }, b: { type: "integer" } },
    required: ["kind", "b"],
  },
};
const referenceTo = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const reference = fc.constantFrom("First", "Second", "Third").map(referenceTo);
const kinds = ["Cat", "Dog"].map(referenceTo);
const mapping = { cat: "#/components/schemas/Cat", kitten: "Cat", dog: "Dog" };

/** Random JSON Schemas with the keywords that documents use. */
const { schema } = fc.letrec<{
  schema: object;
  leaf: object;
  object: object;
  list: object;
  union: object;
  all: object;
  reference: object;
  chosen: object;
}>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    tie("leaf"),
    tie("object"),
    tie("list"),
    tie("union"),
    tie("all"),
    tie("reference"),
    tie("chosen"),
  ),
  leaf: fc.oneof(
    fc.record(
      {
        type: fc.constant("string"),
        minLength: fc.nat(3),
        maxLength: fc.integer({ min: 2, max: 5 }),
      },
      { requiredKeys: ["type"] },
    ),
    fc.record(
      { type: fc.constant("string"), pattern: fc.constantFrom("^a", "^[0-9]+$", "b$") },
      { requiredKeys: ["type"] },
    ),
    fc.record(
      {
        type: fc.constantFrom("number", "integer"),
        minimum: fc.integer({ min: -2, max: 1 }),
        exclusiveMaximum: fc.constant(3),
        multipleOf: fc.constantFrom(0.5, 1),
      },
      { requiredKeys: ["type"] },
    ),
    fc.constantFrom<object>(
      { type: "boolean" },
      { type: ["string", "null"] },
      { type: ["integer", "null"], minimum: 0 },
      {},
    ),
    fc.record({
      type: fc.constant("string"),
      enum: fc.uniqueArray(fc.constantFrom("a", "b", "ab"), { minLength: 1 }),
    }),
    fc.constantFrom<object>({ enum: [1, 2] }, { const: "a" }, { enum: ["a", null] }),
  ),
  object: fc
    .record(
      {
        properties: fc.dictionary(names, tie("schema"), { minKeys: 1, maxKeys: 3 }),
        required: fc.uniqueArray(names, { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.boolean(), fc.constant({ type: "string" })),
      },
      { requiredKeys: ["properties"] },
    )
    .map(({ properties, ...rest }) => ({ type: "object", properties: { ...properties }, ...rest })),
  list: fc
    .record(
      {
        items: tie("schema"),
        minItems: fc.nat(2),
        maxItems: fc.integer({ min: 1, max: 3 }),
        uniqueItems: fc.boolean(),
      },
      { requiredKeys: ["items"] },
    )
    .map((rest) => ({ type: "array", ...rest })),
  union: fc
    .tuple(
      fc.constantFrom("oneOf", "anyOf"),
      fc.array(tie("schema"), { minLength: 1, maxLength: 3 }),
    )
    .map(([keyword, alternatives]) => ({ [keyword]: alternatives })),
  // The composed schema determines whether further fields are allowed; the parts of `allOf` do not.
  all: fc
    .tuple(
      reference,
      fc.dictionary(fc.constantFrom("d", "e"), tie("leaf"), { minKeys: 1 }),
      fc.uniqueArray(fc.constantFrom("a", "d"), { maxLength: 1 }),
    )
    .map(([part, properties, required]) => ({
      allOf: [part, { type: "object", properties: { ...properties }, required }],
    })),
  reference,
  chosen: fc.constantFrom<object>(
    { oneOf: kinds, discriminator: { propertyName: "kind" } },
    { anyOf: kinds, discriminator: { propertyName: "kind" } },
    { oneOf: kinds, discriminator: { propertyName: "kind", mapping } },
  ),
}));

const scalars: Arbitrary<unknown> = fc.constantFrom(
  "a",
  "ab",
  "abc",
  "b",
  "12",
  "",
  0,
  1,
  2,
  2.5,
  -1,
  3,
  true,
  false,
  null,
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalars,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "d", "e", "f"), tie("value"), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
    fc.record(
      {
        kind: fc.constantFrom("Cat", "Dog", "cat", "kitten", "dog"),
        a: fc.constant("a"),
        b: fc.constantFrom(1, "b"),
      },
      { requiredKeys: ["kind"], noNullPrototype: true },
    ),
  ),
}));

it.each<Side>(["request", "answer"])(
  "an imported schema accepts exactly the values that are valid against the document's schema: %s",
  (side) => {
    const judge = judgeOf(components, side);
    fc.assert(
      fc.property(
        schema,
        fc.array(value, { minLength: 20, maxLength: 20 }),
        (published, values) => {
          const reader = schemaReader(
            importDocument({ components: { schemas: components } }),
            lossReport(),
          );
          const definition = reader.define(structuredClone(published), {
            side,
            pointer: "/schema",
            title: "schema",
            home: { id: "schema", title: "schema" },
            operation: "",
          });
          const declared = createSchemaOf()(definition);
          const fits = judge(published);
          for (const one of values)
            expect([one, check(declared, one).valid]).toEqual([one, fits(one)]);
        },
      ),
      { numRuns: 150, seed: 20_261_122 },
    );
  },
);

it.each<Side>(["request", "answer"])(
  "a discriminator without a mapping selects the alternative whose enum contains the value: %s",
  (side) => {
    const kind = (values: readonly string[], field: string): object => ({
      type: "object",
      required: ["kind", field],
      properties: { kind: { type: "string", enum: values }, [field]: { type: "string" } },
    });
    const document = importDocument({
      components: {
        schemas: { Cat: kind(["cat", "kitten"], "meows"), Dog: kind(["dog", "puppy"], "barks") },
      },
    });
    const place = {
      side,
      pointer: "/x",
      title: "pet",
      home: { id: "x", title: "pet" },
      operation: "",
    };
    const oneOf = ["Cat", "Dog"].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const definition = schemaReader(document, lossReport()).define(
      { oneOf, discriminator: { propertyName: "kind" } },
      place,
    );
    const declared = createSchemaOf()(definition);
    expect(check(declared, { kind: "kitten", meows: "loudly" }).valid).toBe(true);
    expect(check(declared, { kind: "puppy", meows: "loudly" }).valid).toBe(false);
    // Answers are open: the insurer may add birds later.
    expect(check(declared, { kind: "bird", sings: true }).valid).toBe(side === "answer");
    expect(check(declared, { kind: 1, sings: true }).valid).toBe(false);
  },
);
