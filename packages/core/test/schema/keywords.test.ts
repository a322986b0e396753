import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { check, type FaultCode, type Schema } from "../../src/contract/index.ts";
import { parameterForms } from "../../src/runtime.ts";
import {
  anyOf,
  anything,
  byValue,
  digits,
  integer,
  joined,
  list,
  loose,
  map,
  number,
  objectWith,
  oneOf,
  strict,
  string,
  zod,
  zodSchema,
} from "../../src/schema/index.ts";

interface Tree {
  name: string;
  children?: Tree[];
  byName?: Record<string, Tree>;
}

const tree: Schema<Tree> = strict<Tree>({
  name: string({ minLength: 1 }),
  get children() {
    return z.exactOptional(list(zod(tree), { maxItems: 2 }));
  },
  get byName() {
    return z.exactOptional(map(zod(tree)));
  },
});

interface Car {
  kind: "car";
  plate: string;
}
interface House {
  kind: "house" | "villa";
  floors: number;
}
const car = strict<Car>({ kind: z.literal("car"), plate: string({ pattern: /^[A-Z]{3}\d{4}$/ }) });
const house = strict<House>({
  kind: z.literal(["house", "villa"]),
  floors: integer({ minimum: 1 }),
});

interface Rates {
  base: number;
  [cover: string]: number;
}

const schemas = {
  "3 to 4 characters": zodSchema(string({ minLength: 3, maxLength: 4 })),
  pattern: zodSchema(string({ pattern: /^[A-Z]\d$/ })),
  date: zodSchema(string({ format: "date" })),
  "date-time": zodSchema(string({ format: "date-time" })),
  uuid: zodSchema(string({ format: "uuid" })),
  iban: zodSchema(string({ format: "iban" })),
  "annotated date": zodSchema(string({ format: "date", annotated: true })),
  "0.01 to 100": zodSchema(number({ minimum: 0.01, maximum: 100 })),
  "between 0 and 1": zodSchema(number({ exclusiveMinimum: 0, exclusiveMaximum: 1 })),
  cents: zodSchema(number({ multipleOf: 0.01 })),
  thirds: zodSchema(number({ multipleOf: 3e-7 })),
  dozens: zodSchema(integer({ minimum: 0, multipleOf: 12 })),
  digits: zodSchema(digits()),
  "1 to 2 items": zodSchema(list(integer(), { minItems: 1, maxItems: 2 })),
  set: zodSchema(list(anything(), { uniqueItems: true })),
  map: zodSchema(map(integer(), { minProperties: 1, maxProperties: 2, names: /^[a-z]+$/ })),
  rates: objectWith<Rates>({ base: number() }, number({ minimum: 0 })),
  "one of": zodSchema(oneOf(number({ multipleOf: 3 }), number({ multipleOf: 5 }))),
  "any of": zodSchema(anyOf(number({ multipleOf: 3 }), number({ multipleOf: 5 }))),
  "by value": zodSchema(byValue("kind", { car: zod(car), house: zod(house), villa: zod(house) })),
  "by value, open": zodSchema(
    byValue("kind", { car: zod(car), house: zod(house) }, { open: true }),
  ),
  free: loose<{ data: unknown; more?: unknown }>({
    data: anything(),
    more: z.exactOptional(anything()),
  }),
  tree,
} satisfies Readonly<Record<string, Schema<unknown>>>;

type Name = keyof typeof schemas;

const accepted: readonly (readonly [Name, unknown])[] = [
  ["3 to 4 characters", "αβγ"],
  ["3 to 4 characters", "🚗🚗🚗🚗"],
  ["pattern", "A1"],
  ["date", "2024-02-29"],
  ["date-time", "2026-11-21T08:00:00Z"],
  ["uuid", "0192F2A0-1111-7abc-8def-0123456789ab"],
  ["iban", "no IBAN"],
  ["annotated date", "21/11/2026"],
  ["0.01 to 100", 100],
  ["between 0 and 1", 0.5],
  ["cents", 66.66],
  ["cents", 0.07],
  ["cents", 999_999_999_999.99],
  ["cents", -4.35],
  ["cents", 0],
  ["thirds", 9e-7],
  ["thirds", 3],
  ["dozens", 144],
  ["digits", "9223372036854775807"],
  ["digits", "0"],
  ["digits", "-9223372036854775808"],
  ["1 to 2 items", [1]],
  ["set", [1, "1", [1], { a: 1 }, { a: 2 }, null]],
  ["map", { a: 1 }],
  ["rates", { base: 1, theft: 2 }],
  ["one of", 9],
  ["any of", 15],
  ["by value", { kind: "car", plate: "ABC1234" }],
  ["by value", { kind: "villa", floors: 2 }],
  ["by value, open", { kind: "car", plate: "ABC1234" }],
  ["by value, open", { kind: "ship", length: 12 }],
  ["free", { data: null }],
  ["free", { data: [1, { a: "b" }], more: 1, other: true }],
  ["tree", { name: "a", children: [{ name: "b", byName: { c: { name: "c" } } }] }],
];

const equalItems = ['{"a":1,"b":[2]}', '{"b":[2],"a":1}'].map((item): unknown => JSON.parse(item));
const refused: readonly (readonly [Name, unknown, string, FaultCode, string])[] = [
  ["3 to 4 characters", "🚗🚗", "", "LENGTH", "must have at least 3 characters"],
  ["3 to 4 characters", "abcde", "", "LENGTH", "must have at most 4 characters"],
  ["3 to 4 characters", 123, "", "TYPE", "must be a string"],
  ["pattern", "a1", "", "FORMAT", "must match the pattern ^[A-Z]\\d$"],
  ["date", "2026-02-29", "", "FORMAT", "must be a date that exists, written YYYY-MM-DD"],
  ["date-time", "2026-11-21T08:00:00", "", "FORMAT", "must be an instant, written as RFC 3339"],
  ["uuid", "0192f2a0", "", "FORMAT", "must be a UUID"],
  ["0.01 to 100", 0, "", "RANGE", "must be 0.01 or more"],
  ["between 0 and 1", 1, "", "RANGE", "must be less than 1"],
  ["cents", 66.666, "", "PRECISION", "must be a multiple of 0.01"],
  ["cents", 1e-20, "", "PRECISION", "must be a multiple of 0.01"],
  ["cents", 0.1 + 0.2, "", "PRECISION", "must be a multiple of 0.01"],
  ["cents", "1.00", "", "TYPE", "must be a number"],
  ["dozens", 13, "", "PRECISION", "must be a multiple of 12"],
  ["dozens", 1.5, "", "TYPE", "must be a whole number"],
  ["digits", "1e3", "", "FORMAT", "must be a whole number of at most 19 digits, in a string"],
  ["digits", "007", "", "FORMAT", "must be a whole number of at most 19 digits, in a string"],
  ["digits", 5, "", "TYPE", "must be a string"],
  ["1 to 2 items", [], "", "LENGTH", "must have at least 1 items"],
  ["1 to 2 items", [1, 2, 3], "", "LENGTH", "must have at most 2 items"],
  ["set", equalItems, "", "REPEATED", "must not have the same item twice"],
  ["map", {}, "", "LENGTH", "must have at least 1 fields"],
  ["map", { a: 1, b: 2, c: 3 }, "", "LENGTH", "must have at most 2 fields"],
  ["map", { A: 1 }, "", "FORMAT", "must have only fields whose names match the pattern ^[a-z]+$"],
  ["rates", { base: 1, theft: -2 }, "/theft", "RANGE", "must be 0 or more"],
  ["rates", { theft: 2 }, "/base", "REQUIRED", "is required"],
  ["one of", 15, "", "INVALID", "must match only one of its alternatives"],
  ["one of", 7, "", "PRECISION", "must be a multiple of 3"],
  ["by value", { kind: "house", floors: 0 }, "/floors", "RANGE", "must be 1 or more"],
  ["by value", { kind: "ship" }, "/kind", "VALUE", "must be one of car, house, villa"],
  ["by value", { plate: "ABC1234" }, "/kind", "REQUIRED", "is required"],
  ["by value", "car", "", "TYPE", "must be an object"],
  ["by value, open", { kind: "house", floors: 0 }, "/floors", "RANGE", "must be 1 or more"],
  ["by value, open", { length: 12 }, "/kind", "REQUIRED", "is required"],
  ["free", { more: 1 }, "/data", "REQUIRED", "is required"],
  [
    "tree",
    { name: "a", children: [{ name: "" }] },
    "/children/0/name",
    "LENGTH",
    "must have at least 1 characters",
  ],
];

describe.each([
  ["interpreted", (schema: Schema<unknown>) => schema],
  ["compiled", (schema: Schema<unknown>): Schema<unknown> => z.compile(zod(schema))],
])("schemas with JSON Schema keywords, %s", (_, prepare) => {
  it.each(accepted)("the schema (%s) accepts the value %j", (name, value) => {
    expect(check(prepare(schemas[name]), value)).toEqual({ valid: true, value });
  });

  it.each(refused)(
    "the schema (%s) refuses the value %j at the pointer %j",
    (name, value, pointer, code, message) => {
      expect(check(prepare(schemas[name]), value)).toEqual({
        valid: false,
        faults: [{ pointer, code, message }],
      });
    },
  );
});

describe("JSON Schemas of declared schemas", () => {
  const written = (schema: Schema<unknown>): unknown => {
    const { $schema: _, ...rest } = z.toJSONSchema(zod(schema));
    return rest;
  };

  it.each<[Name, object]>([
    ["3 to 4 characters", { type: "string", minLength: 3, maxLength: 4 }],
    ["pattern", { type: "string", pattern: "^[A-Z]\\d$" }],
    ["uuid", { type: "string", format: "uuid" }],
    ["annotated date", { type: "string", format: "date" }],
    ["0.01 to 100", { type: "number", minimum: 0.01, maximum: 100 }],
    ["between 0 and 1", { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }],
    ["cents", { type: "number", multipleOf: 0.01 }],
    ["set", { type: "array", items: {}, uniqueItems: true }],
    [
      "digits",
      {
        type: "string",
        format: "int64",
        pattern: "^(0|-?[1-9]\\d{0,18})$",
        "x-digits": true,
      },
    ],
  ])(
    "the JSON Schema of a declared schema (%s) contains the same keywords: %j",
    (name, keywords) => {
      expect(written(schemas[name])).toEqual(keywords);
    },
  );

  it("the JSON Schema of a map or of an object with further fields contains the rules for names and values", () => {
    expect(written(schemas.map)).toMatchObject({
      type: "object",
      minProperties: 1,
      maxProperties: 2,
      propertyNames: { type: "string", pattern: "^[a-z]+$" },
      additionalProperties: { type: "integer" },
    });
    expect(written(schemas.rates)).toMatchObject({
      required: ["base"],
      additionalProperties: { type: "number", minimum: 0 },
    });
  });

  it("the JSON Schema of alternatives contains oneOf, anyOf or a discriminator", () => {
    expect(written(schemas["one of"])).toEqual({
      oneOf: [
        { type: "number", multipleOf: 3 },
        { type: "number", multipleOf: 5 },
      ],
    });
    expect(written(schemas["any of"])).toHaveProperty("anyOf");
    expect(written(schemas["by value, open"])).toMatchObject({
      oneOf: [
        {},
        {},
        {
          type: "object",
          required: ["kind"],
          properties: { kind: { type: "string", not: { enum: ["car", "house"] } } },
          additionalProperties: {},
        },
      ],
      "x-discriminator": { propertyName: "kind", mapping: { car: 0, house: 1 } },
    });
    expect(written(schemas["by value"])).toMatchObject({
      oneOf: [{ required: ["kind", "plate"] }, { required: ["kind", "floors"] }],
      "x-discriminator": { propertyName: "kind", mapping: { car: 0, house: 1, villa: 1 } },
    });
  });
});

describe("parameters with JSON Schema keywords", () => {
  it("a parameter whose schema has JSON Schema keywords is written in the form of the parameter's type", () => {
    const query = strict<Readonly<Record<string, unknown>>>({
      a: string({ minLength: 1 }),
      b: z.exactOptional(integer({ minimum: 1 })),
      c: z.exactOptional(list(string(), { minItems: 1, uniqueItems: true })),
      d: z.exactOptional(joined(list(string(), { minItems: 1, uniqueItems: true }))),
      e: z.exactOptional(digits()),
      f: z.exactOptional(oneOf(integer({ maximum: 0 }), integer({ minimum: 10 }))),
    });
    expect(parameterForms(query)).toEqual({
      a: { required: true, style: "scalar", type: "string" },
      b: { required: false, style: "scalar", type: "number" },
      c: { required: false, style: "repeated", type: "string" },
      d: { required: false, style: "joined", type: "string" },
      e: { required: false, style: "scalar", type: "string" },
      f: { required: false, style: "scalar", type: "number" },
    });
    expect(check(query, { a: "1", d: ["x", "x"] })).toMatchObject({
      valid: false,
      faults: [{ pointer: "/d", code: "REPEATED" }],
    });
    expect(z.toJSONSchema(zod(query))).toMatchObject({
      properties: { d: { uniqueItems: true, minItems: 1, "x-joined": true } },
    });
  });
});
