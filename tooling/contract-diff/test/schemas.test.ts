import { describe, it } from "vitest";
import {
  closed,
  expectLevels,
  narrower,
  nothing,
  notice,
  number,
  open,
  other,
  type SchemaChange,
  text,
  wider,
  words,
} from "./harness/schema-changes.ts";

/** One of the kinds, each with a field of its own. */
function kinds(...listed: readonly string[]): object {
  return { oneOf: listed.map(kind) };
}

function kind(value: string): object {
  const properties = { k: { type: "string", const: value }, [value]: number };
  return open(properties, "k", value);
}

/** One of the kinds, or an object of another kind, as a discriminator with further values has it. */
function openKinds(...listed: readonly string[]): object {
  return { oneOf: [...listed.map(kind), otherKinds(...listed)] };
}

function otherKinds(...listed: readonly string[]): object {
  const properties = { k: { type: "string", not: { enum: listed } } };
  return { ...open(properties, "k"), "x-other": true };
}

const rows: readonly SchemaChange[] = [
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
  // Discriminators.
  [
    "a discriminator gets a value",
    kinds("cat", "dog"),
    kinds("cat", "dog", "bird"),
    "/oneOf/2",
    ...wider,
  ],
  [
    "an open discriminator lists a further value, which was allowed",
    openKinds("cat", "dog"),
    openKinds("cat", "dog", "bird"),
    "/oneOf/2",
    ...narrower,
  ],
  [
    "an open discriminator no longer lists a value, which may now have other fields",
    openKinds("cat", "dog"),
    openKinds("cat"),
    "/oneOf/1",
    ...wider,
  ],
  [
    "an open discriminator stands beside strings, which were not allowed",
    openKinds("cat"),
    { oneOf: [kind("cat"), text, otherKinds("cat")] },
    "/oneOf/1",
    ...wider,
  ],
  ["a discriminator is opened", kinds("cat"), openKinds("cat"), "/oneOf/1", ...wider],
  ["a discriminator is closed", openKinds("cat"), kinds("cat"), "/oneOf/1", ...narrower],
];

describe("a schema", () => {
  it.each(rows)("%s", (...row) => expectLevels(row));
});
