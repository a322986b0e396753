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
  sealed,
  strict,
  string,
  zod,
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
  ["a long text", sealed(string({ minLength: 80, maxLength: 85 }))],
  ["a text with a pattern", sealed(string({ pattern: /^[A-Z]{3}-\d{4}$/ }))],
  ["an instant", sealed(string({ format: "date-time" }))],
  ["a UUID", sealed(string({ format: "uuid" }))],
  ["a number in a far range", sealed(number({ exclusiveMinimum: 1e6, maximum: 1e6 + 1 }))],
  ["a negative number", sealed(number({ exclusiveMaximum: -5_000 }))],
  ["a multiple of a decimal", sealed(number({ multipleOf: 0.3, minimum: 100 }))],
  ["a whole number in a far range", sealed(integer({ minimum: 70_000, multipleOf: 7 }))],
  ["digits", sealed(digits())],
  ["anything", sealed(anything())],
  ["a set", sealed(list(anything(), { minItems: 2, uniqueItems: true }))],
  ["a map", sealed(map(integer(), { minProperties: 2, maxProperties: 2, names: /^x-[a-z]+$/ }))],
  ["an object with others", objectWith<{ a: number }>({ a: number() }, string())],
  ["one of", sealed(oneOf(string({ maxLength: 3 }), integer()))],
  ["by value", sealed(byValue("kind", { car: zod(car), house: zod(house) }))],
  ["maps in maps", node],
  [
    "a list of what is chosen by value",
    strict<{ all: unknown[] }>({
      all: list<unknown>(byValue("kind", { car: zod(car), house: zod(house) }), { minItems: 3 }),
    }),
  ],
];

describe("values that fit", () => {
  // fittingValues gives none that does not fit.
  it.each(schemas)("can be made of %s", (_, schema) => {
    expect(fittingValues(schema, 2)).toHaveLength(2);
  });

  it("have each value of a list, and each alternative, before one comes again", () => {
    const letters = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const texts = fittingValues(sealed(z.enum(letters)), letters.length);
    expect(new Set(texts)).toEqual(new Set(letters));
    const places = letters.map((_, index) => index);
    const choice = z.union(places.map((place) => z.literal(place)));
    expect(new Set(fittingValues(sealed(choice), places.length))).toEqual(new Set(places));
  });

  it("reach the limits of a number", () => {
    const values = fittingValues(sealed(integer({ minimum: 70_000, maximum: 70_040 })), 8);
    expect(values).toEqual(expect.arrayContaining([70_000, 70_040]));
  });

  it("have each alternative that a value chooses", () => {
    const made = JSON.stringify(
      fittingValues(sealed(byValue("kind", { car: zod(car), house: zod(house) })), 20),
    );
    expect(made).toContain('"kind":"car"');
    expect(made).toContain('"kind":"house"');
  });
});
