import { zodSchema } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { createScrub } from "../../../src/insurers/drift/scrub.ts";

const scrubbed = (schema: z.ZodMiniType, value: unknown): unknown =>
  createScrub(zodSchema<unknown>(schema))(value);

describe("scrubbed texts and numbers", () => {
  it.each<[string, string]>([
    ["Ελένη ΠΑΠΑ", "Ααααα ΑΑΑΑ"],
    ["Maria O'Neill-3", "Aaaaa A-Aaaaa-1"],
    ["a1b2c3d4e5f6", "a1a1a1a1a1a1"],
    ["a1b2c3d4e5f6g", "xxxxxxxxxxxxx"],
    ["abcdefghijklmnop", "aaaaaaaaaaaaaaaa"],
    ["1234567890123", "1111111111111"],
    ["Дом 7", "xxx 1"],
    ["a@b.gr", "a-a.aa"],
    ["", ""],
  ])("a scrubbed text keeps only the form of the text: %j becomes %j", (text, shape) => {
    expect(scrubbed(z.string(), text)).toBe(shape);
  });

  it.each<[number, number]>([
    [0, 1],
    [7, 1],
    [-12.5, -11.1],
    [1_234.5678, 1_111.1111],
    [0.123456789, 1.111111],
    [1_000_000, 1_111_111],
  ])(
    "a scrubbed number keeps only the sign and the number of digits: %d becomes %d",
    (number, shape) => {
      expect(scrubbed(z.number(), number)).toBe(shape);
    },
  );
});

const car = z.object({ type: z.literal("car"), seats: z.number(), owner: z.string() });
const house = z.object({ type: z.literal("house"), floors: z.number() });

describe("scrubbed structures", () => {
  it.each<[string, z.ZodMiniType, unknown, unknown]>([
    [
      "three items of a list, with equal items still equal",
      z.array(z.string()),
      ["Anna 7", "Maria 8", "Anna 7", "Eleni 9"],
      ["Aaaa 1", "Aaaaa 2", "Aaaa 1"],
    ],
    [
      "a number and a text with equal digits, which become different values",
      z.array(z.union([z.string(), z.number()])),
      ["12", 12, 12],
      ["11", 12, 12],
    ],
    [
      "three members of a map, with new keys",
      z.record(z.string(), z.number()),
      { Anna: 5, Maria: 6, Eleni: 7, Rita: 8 },
      { key1: 1, key2: 2, key3: 3 },
    ],
    [
      "the parts of a tuple",
      z.tuple([z.string(), z.number(), z.boolean()]),
      ["Anna", 70, true],
      ["Aaaa", 12, true],
    ],
    [
      "the fields of both parts of an intersection",
      z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
      { a: "Anna", b: "Maria", c: "no field" },
      { a: "Aaaa", b: "Aaaaa" },
    ],
    [
      "the alternative that lists the value",
      z.union([house, car]),
      { type: "car", seats: 5, owner: "Anna" },
      { type: "car", seats: 1, owner: "Aaaa" },
    ],
    [
      "the alternative that has the value's type",
      z.union([z.boolean(), z.object({ a: z.string() }), z.array(z.number()), z.null()]),
      [50],
      [11],
    ],
    ["a whole number in an alternative for whole numbers", z.union([z.string(), z.int()]), 50, 11],
    ["null", z.nullable(z.string()), null, null],
    ["a listed value", z.enum(["A", "B"]), "B", "B"],
    [
      "the first listed value in place of an unlisted value",
      z.union([z.literal("A"), z.literal("B")]),
      "C",
      "A",
    ],
  ])("a scrubbed answer keeps the structure of the answer: %s", (_, schema, value, left) => {
    expect(scrubbed(schema, value)).toEqual(left);
  });

  it("a scrubbed text has at most two hundred characters", () => {
    expect(scrubbed(z.string(), "a".repeat(201))).toBe("a".repeat(200));
  });

  it("a scrubbed answer has different values for up to 28 different dates, and for different numbers with equally many digits", () => {
    const days = z.object(
      Object.fromEntries(
        Array.from({ length: 30 }, (_, index) => [`d${index + 1}`, z.iso.date()] as const),
      ),
    );
    const value = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`d${index + 1}`, `19${60 + index}-07-23`]),
    );
    const left: Record<string, string> = Object(scrubbed(days, value));
    expect([left.d1, left.d2, left.d28, left.d29, left.d30]).toEqual([
      "2026-01-01",
      "2026-01-02",
      "2026-01-28",
      "2026-01-01",
      "2026-01-02",
    ]);
    const digits = z.object(
      Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`n${index + 1}`, z.string()])),
    );
    const written = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [
        `n${index + 1}`,
        `A-${index < 9 ? 20 + index : index}`,
      ]),
    );
    expect(Object.values(Object(scrubbed(digits, written)))).toEqual([
      ..."123456789".split("").map((digit) => `A-1${digit}`),
      "A-1",
      "A-11",
      "A-12",
    ]);
  });
});
