import { describe, expect, it } from "vitest";
import { compareContracts } from "../src/index.ts";
import { ANSWER, answering, REQUEST, requesting, short } from "./harness/contracts.ts";

/** A change of a schema, and its level in a request and in an answer. */
type Row = readonly [
  name: string,
  before: unknown,
  after: unknown,
  pointer: string,
  inRequest: string,
  inAnswer: string,
];

const text = { type: "string" };
const number = { type: "number" };
const nothing = { type: "null" };

function closed(properties: object, ...required: readonly string[]): object {
  return { type: "object", properties, required, additionalProperties: false };
}
function open(properties: object, ...required: readonly string[]): object {
  return { type: "object", properties, required };
}

const wider = ["minor", "major"] as const;
const narrower = ["major", "minor"] as const;
const other = ["major", "major"] as const;
const notice = ["minor", "minor"] as const;
const words = ["patch", "patch"] as const;

const rows: readonly Row[] = [
  // Fields of closed objects, as requests have them.
  [
    "a closed object gets an optional field",
    closed({}),
    closed({ a: text }),
    "/properties/a",
    ...wider,
  ],
  [
    "a closed object gets a required field",
    closed({}),
    closed({ a: text }, "a"),
    "/properties/a",
    ...other,
  ],
  ["a closed object loses a field", closed({ a: text }), closed({}), "/properties/a", ...narrower],
  [
    "a closed object loses a required field",
    closed({ a: text }, "a"),
    closed({}),
    "/properties/a",
    ...other,
  ],
  [
    "a field becomes required",
    closed({ a: text }),
    closed({ a: text }, "a"),
    "/properties/a",
    ...narrower,
  ],
  [
    "a field becomes optional",
    closed({ a: text }, "a"),
    closed({ a: text }),
    "/properties/a",
    ...wider,
  ],
  [
    "an object is closed",
    open({ a: text }),
    closed({ a: text }),
    "/additionalProperties",
    ...narrower,
  ],
  [
    "an object is opened",
    closed({ a: text }),
    open({ a: text }),
    "/additionalProperties",
    ...wider,
  ],
  // Fields of open objects, as answers have them.
  [
    "an open object gets an optional field",
    open({}),
    open({ a: text }),
    "/properties/a",
    ...narrower,
  ],
  [
    "an open object gets a required field",
    open({}),
    open({ a: text }, "a"),
    "/properties/a",
    ...narrower,
  ],
  [
    "an open object gets a field with any value",
    open({}),
    open({ a: {} }),
    "/properties/a",
    ...notice,
  ],
  [
    "an open object loses an optional field",
    open({ a: text }),
    open({}),
    "/properties/a",
    ...wider,
  ],
  [
    "an open object loses a required field",
    open({ a: text }, "a"),
    open({}),
    "/properties/a",
    ...wider,
  ],
  [
    "an open object loses a field with any value",
    open({ a: {} }),
    open({}),
    "/properties/a",
    ...wider,
  ],
  // Maps.
  [
    "the values of a map become wider",
    { additionalProperties: text },
    { additionalProperties: { type: ["string", "null"] } },
    "/additionalProperties/type",
    ...wider,
  ],
  [
    "a map declares one of its fields as it is",
    { additionalProperties: text },
    { additionalProperties: text, properties: { a: text } },
    "/properties/a",
    ...notice,
  ],
  [
    "a map declares one of its fields differently",
    { additionalProperties: text },
    { additionalProperties: text, properties: { a: number } },
    "/properties/a",
    ...other,
  ],
  [
    "the names in a map are limited",
    { propertyNames: text },
    { propertyNames: { type: "string", maxLength: 3 } },
    "/propertyNames/maxLength",
    ...narrower,
  ],
  // Types.
  ["a type is another", text, number, "/type", ...other],
  ["whole numbers become numbers", { type: "integer" }, number, "/type", ...wider],
  ["numbers become whole numbers", number, { type: "integer" }, "/type", ...narrower],
  ["a value can be null", text, { type: ["string", "null"] }, "/type", ...wider],
  ["a value cannot be null", { type: ["string", "null"] }, text, "/type", ...narrower],
  ["a type is demanded", {}, text, "/type", ...narrower],
  ["no type is demanded", text, {}, "/type", ...wider],
  // Lists of values.
  ["a list of values gets one", { enum: ["A"] }, { enum: ["A", "B"] }, "/enum", ...wider],
  ["a list of values loses one", { enum: ["A", "B"] }, { enum: ["A"] }, "/enum", ...narrower],
  ["a list of values has others", { enum: ["A", "B"] }, { enum: ["A", "C"] }, "/enum", ...other],
  [
    "the only value gets another beside it",
    { const: "A" },
    { enum: ["A", "B"] },
    "/enum",
    ...wider,
  ],
  ["the only value is another", { const: "A" }, { const: "B" }, "/const", ...other],
  [
    "any string becomes a list of values",
    text,
    { type: "string", enum: ["A"] },
    "/enum",
    ...narrower,
  ],
  ["a list of values becomes any string", { type: "string", enum: ["A"] }, text, "/enum", ...wider],
  [
    "a list of values becomes strings that all of them are",
    { type: "string", enum: ["A"] },
    { type: "string", maxLength: 9, pattern: "^[A-Z]+$" },
    "/enum",
    ...wider,
  ],
  [
    "strings become a list of some of them",
    { type: "string", maxLength: 9, pattern: "^[A-Z]+$" },
    { type: "string", enum: ["A"] },
    "/enum",
    ...narrower,
  ],
  [
    "an open list gets a known value",
    { type: "string", "x-extensible-enum": ["A"] },
    { type: "string", "x-extensible-enum": ["A", "B"] },
    "/x-extensible-enum",
    ...notice,
  ],
  [
    "an open list loses a known value",
    { type: "string", "x-extensible-enum": ["A", "B"] },
    { type: "string", "x-extensible-enum": ["A"] },
    "/x-extensible-enum",
    ...notice,
  ],
  // Sizes.
  [
    "a string may be longer",
    { type: "string", maxLength: 5 },
    { type: "string", maxLength: 9 },
    "/maxLength",
    ...wider,
  ],
  [
    "a string may not be so long",
    { type: "string", maxLength: 9 },
    { type: "string", maxLength: 5 },
    "/maxLength",
    ...narrower,
  ],
  ["a string may not be empty", text, { type: "string", minLength: 1 }, "/minLength", ...narrower],
  [
    "a list must have an item",
    { type: "array" },
    { type: "array", minItems: 1 },
    "/minItems",
    ...narrower,
  ],
  [
    "a list has no most items",
    { type: "array", maxItems: 9 },
    { type: "array" },
    "/maxItems",
    ...wider,
  ],
  [
    "a list may not repeat an item",
    { type: "array" },
    { type: "array", uniqueItems: true },
    "/uniqueItems",
    ...narrower,
  ],
  [
    "an object may have more fields",
    { type: "object", maxProperties: 1 },
    { type: "object", maxProperties: 2 },
    "/maxProperties",
    ...wider,
  ],
  [
    "a number may be lower",
    { type: "number", minimum: 1 },
    { type: "number", minimum: 0 },
    "/minimum",
    ...wider,
  ],
  [
    "a number may be zero",
    { type: "number", exclusiveMinimum: 0 },
    { type: "number", minimum: 0 },
    "/minimum",
    ...wider,
  ],
  [
    "a number may not be zero",
    { type: "number", minimum: 0 },
    { type: "number", exclusiveMinimum: 0 },
    "/exclusiveMinimum",
    ...narrower,
  ],
  [
    "a number may not be so high",
    number,
    { type: "number", exclusiveMaximum: 9 },
    "/exclusiveMaximum",
    ...narrower,
  ],
  ["a step is coarser", { multipleOf: 0.5 }, { multipleOf: 1 }, "/multipleOf", ...narrower],
  ["a step is finer", { multipleOf: 1 }, { multipleOf: 0.5 }, "/multipleOf", ...wider],
  ["a step is another", { multipleOf: 2 }, { multipleOf: 3 }, "/multipleOf", ...other],
  // Forms of strings, files and rules.
  ["a pattern is demanded", text, { type: "string", pattern: "^A" }, "/pattern", ...narrower],
  ["a pattern is dropped", { type: "string", pattern: "^A" }, text, "/pattern", ...wider],
  [
    "a pattern is another",
    { type: "string", pattern: "^A" },
    { type: "string", pattern: "^[AB]" },
    "/pattern",
    ...other,
  ],
  ["a format is demanded", text, { type: "string", format: "date" }, "/format", ...narrower],
  [
    "a format is another",
    { type: "string", format: "date" },
    { type: "string", format: "date-time" },
    "/format",
    ...other,
  ],
  [
    "an encoding is dropped",
    { type: "string", contentEncoding: "base64" },
    text,
    "/contentEncoding",
    ...wider,
  ],
  [
    "a file may be larger",
    { "x-file": { maxBytes: 1 } },
    { "x-file": { maxBytes: 2 } },
    "/x-file",
    ...wider,
  ],
  [
    "a file may be of another type, too",
    { "x-file": { mediaTypes: ["image/png"] } },
    { "x-file": { mediaTypes: ["image/png", "image/jpeg"] } },
    "/x-file",
    ...wider,
  ],
  [
    "a file must be of some type",
    { "x-file": {} },
    { "x-file": { mediaTypes: ["image/png"] } },
    "/x-file",
    ...narrower,
  ],
  [
    "a rule is added",
    {},
    { "x-rules": [{ path: ["a"], code: "X", message: "m" }] },
    "/x-rules",
    ...narrower,
  ],
  ["a rule is dropped", { "x-rules": [{ path: ["a"], rule: "x" }] }, {}, "/x-rules", ...wider],
  [
    "a rule has another message",
    { "x-rules": [{ path: ["a"], code: "X", message: "m" }] },
    { "x-rules": [{ path: ["a"], code: "X", message: "n" }] },
    "/x-rules",
    ...words,
  ],
  // Items and forms.
  [
    "items become narrower",
    { items: text },
    { items: { type: "string", maxLength: 1 } },
    "/items/maxLength",
    ...narrower,
  ],
  [
    "a position of a list is another",
    { prefixItems: [text, text] },
    { prefixItems: [text, number] },
    "/prefixItems/1/type",
    ...other,
  ],
  [
    "a union gets a form",
    { anyOf: [text, nothing] },
    { anyOf: [text, nothing, number] },
    "/anyOf/2",
    ...wider,
  ],
  ["a union loses a form", { anyOf: [text, nothing] }, { anyOf: [text] }, "/anyOf/1", ...narrower],
  [
    "a form of a union is narrower",
    { anyOf: [text, nothing] },
    { anyOf: [nothing, { type: "string", maxLength: 1 }] },
    "/anyOf/1/maxLength",
    ...narrower,
  ],
  ["one form becomes a union with null", text, { anyOf: [text, nothing] }, "/anyOf/1", ...wider],
  [
    "a union has forms that are distinguished by a field",
    { oneOf: [closed({ k: { const: 1 } }, "k"), closed({ k: { const: 2 } }, "k")] },
    {
      oneOf: [
        closed({ k: { const: 2 } }, "k"),
        closed({ k: { const: 1 } }, "k"),
        closed({ k: { const: 3 } }, "k"),
      ],
    },
    "/oneOf/2",
    ...wider,
  ],
  [
    "a form that another one already allows changes what only one of them allows",
    { oneOf: [{}, { enum: ["A"] }] },
    { oneOf: [{}, { enum: ["A", "B"] }] },
    "/oneOf",
    ...other,
  ],
  [
    "a list of values has another beside it",
    { enum: ["A"] },
    { enum: ["A"], const: "B" },
    "/enum",
    ...narrower,
  ],
  [
    "a demand is added to others",
    { allOf: [{ minLength: 1 }] },
    { allOf: [{ minLength: 1 }, { pattern: "^A" }] },
    "/allOf/1",
    ...narrower,
  ],
  [
    "a demand is dropped",
    { allOf: [{ minLength: 1 }, { pattern: "^A" }] },
    { allOf: [{ minLength: 1 }] },
    "/allOf/1",
    ...wider,
  ],
  [
    "a value is not possible any more",
    { properties: { a: text } },
    { properties: { a: { not: {} } } },
    "/properties/a",
    ...narrower,
  ],
  [
    "a keyword that is not known is added",
    {},
    { dependencies: { a: ["b"] } },
    "/dependencies",
    ...other,
  ],
  ["a member that is not known is added", {}, { "x-new": 1 }, "/x-new", ...notice],
  // Words.
  [
    "a description is another",
    { description: "a" },
    { description: "b" },
    "/description",
    ...words,
  ],
  ["examples are others", { examples: ["a"] }, { examples: ["b"] }, "/examples", ...words],
  ["a field is deprecated", text, { type: "string", deprecated: true }, "/deprecated", ...notice],
];

describe("a schema", () => {
  it.each(rows)("%s", (_name, before, after, pointer, inRequest, inAnswer) => {
    const schemas = {};
    expect(
      short(compareContracts(requesting(before, schemas), requesting(after, schemas))),
    ).toEqual([`${inRequest} ${REQUEST}${pointer}`]);
    expect(short(compareContracts(answering(before), answering(after)))).toEqual([
      `${inAnswer} ${ANSWER}${pointer}`,
    ]);
  });
});
