import type { Schema } from "@insurance-gateway/core/contract";
import {
  anything,
  byValue,
  digits,
  integer,
  list,
  map,
  number,
  objectWith,
  oneOf,
  strict,
  string,
  zod,
  zodSchema,
} from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { fittingValues } from "../src/index.ts";

interface Node {
  children: Record<string, Node>;
}
const node: Schema<Node> = strict<Node>({
  get children() {
    return map(zod(node));
  },
});

const car = strict<{ kind: string; doors: number }>({ kind: string(), doors: integer() });
const house = strict<{ kind: string; rooms: number }>({ kind: string(), rooms: integer() });

const schemas: readonly (readonly [string, Schema<unknown>])[] = [
  ["a long text", zodSchema(string({ minLength: 80, maxLength: 85 }))],
  ["a text with a pattern", zodSchema(string({ pattern: /^[A-Z]{3}-\d{4}$/ }))],
  ["an instant", zodSchema(string({ format: "date-time" }))],
  ["a UUID", zodSchema(string({ format: "uuid" }))],
  ["a number in a far range", zodSchema(number({ exclusiveMinimum: 1e6, maximum: 1e6 + 1 }))],
  ["a negative number", zodSchema(number({ exclusiveMaximum: -5_000 }))],
  ["a multiple of a decimal", zodSchema(number({ multipleOf: 0.3, minimum: 100 }))],
  ["a whole number in a far range", zodSchema(integer({ minimum: 70_000, multipleOf: 7 }))],
  ["digits", zodSchema(digits())],
  ["any JSON value", zodSchema(anything())],
  ["a list of unique items", zodSchema(list(anything(), { minItems: 2, uniqueItems: true }))],
  ["a map", zodSchema(map(integer(), { minProperties: 2, maxProperties: 2, names: /^x-[a-z]+$/ }))],
  ["an object with additional fields", objectWith<{ a: number }>({ a: number() }, string())],
  ["one of two alternatives", zodSchema(oneOf(string({ maxLength: 3 }), integer()))],
  [
    "alternatives chosen by a field's value",
    zodSchema(byValue("kind", { car: zod(car), house: zod(house) })),
  ],
  ["maps in maps", node],
  [
    "a list of alternatives chosen by a field's value",
    strict<{ all: unknown[] }>({
      all: list<unknown>(byValue("kind", { car: zod(car), house: zod(house) }), { minItems: 3 }),
    }),
  ],
];

describe("generated values", () => {
  // fittingValues itself checks each value, so only their number is compared.
  it.each(schemas)("fittingValues generates values that match the schema of %s", (_, schema) => {
    expect(fittingValues(schema, 2)).toHaveLength(2);
  });

  it("fittingValues generates every value of an enumeration, and every alternative, before repeating a value", () => {
    const letters = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const texts = fittingValues(zodSchema(z.enum(letters)), letters.length);
    expect(new Set(texts)).toEqual(new Set(letters));
    const places = letters.map((_, index) => index);
    const choice = z.union(places.map((place) => z.literal(place)));
    expect(new Set(fittingValues(zodSchema(choice), places.length))).toEqual(new Set(places));
  });

  it("fittingValues generates the smallest and the largest allowed number", () => {
    const values = fittingValues(zodSchema(integer({ minimum: 70_000, maximum: 70_040 })), 8);
    expect(values).toEqual(expect.arrayContaining([70_000, 70_040]));
  });

  it("fittingValues generates every alternative of a schema in which the value of a field selects the alternative", () => {
    const made = JSON.stringify(
      fittingValues(zodSchema(byValue("kind", { car: zod(car), house: zod(house) })), 20),
    );
    expect(made).toContain('"kind":"car"');
    expect(made).toContain('"kind":"house"');
  });

  it("fittingValues generates an undeclared alternative if the schema accepts objects of undeclared alternatives", () => {
    const choice = byValue("kind", { car: zod(car), house: zod(house) }, { open: true });
    const made = JSON.stringify(fittingValues(zodSchema(choice), 20));
    for (const kind of ["car", "house", "another-value"])
      expect(made).toContain(`"kind":"${kind}"`);
  });
});
