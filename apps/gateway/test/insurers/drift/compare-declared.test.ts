import { anyOf, loose, openEnum, strict, zodSchema } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { compareDeclared } from "../../../src/insurers/drift/compare-declared.ts";

const car = z.looseObject({ type: z.literal("car"), seats: z.int() });
const house = z.looseObject({ type: z.literal("house"), floors: z.int() });
const tree: z.ZodMiniType = z.looseObject({
  name: z.string(),
  sort: z.optional(openEnum("OAK", "ASH")),
  get below() {
    return z.optional(z.array(tree));
  },
});
const answer = zodSchema<unknown>(
  z.looseObject({
    id: z.string().check(z.minLength(2)),
    state: openEnum("OPEN", "CLOSED"),
    kind: z.enum(["MOTOR", "HOME"]),
    sum: z.nullable(z.number()),
    thing: z.union([car, house]),
    either: z.union([z.string(), z.int()]),
    both: z.intersection(z.looseObject({ a: z.string() }), z.looseObject({ b: z.string() })),
    byName: z.record(z.string(), z.looseObject({ n: z.int() })),
    pair: z.tuple([z.looseObject({ x: z.int() }), z.string()]),
    closed: z.strictObject({ only: z.string() }),
    tree,
    // This intersection contains the recursive schema `tree`, so its two schemas stay separate. The two schemas of
    // `both` are merged.
    plant: z.intersection(tree, z.looseObject({ height: z.int() })),
  }),
);

const good = {
  id: "id",
  state: "OPEN",
  kind: "MOTOR",
  sum: null,
  thing: { type: "car", seats: 5 },
  either: "x",
  both: { a: "a", b: "b" },
  byName: { Maria: { n: 1 } },
  pair: [{ x: 1 }, "y"],
  closed: { only: "x" },
  tree: { name: "a", below: [{ name: "b", below: [] }] },
  plant: { name: "a", below: [{ name: "b" }], height: 7 },
};

/** Returns the differences of a value, each as `pointer kind`, with `!` if the difference breaks the declaration. */
function found(value: unknown): readonly string[] {
  return compareDeclared(answer)(value)
    .map(({ breaking, kind, pointer }) => `${pointer} ${kind}${breaking ? "!" : ""}`)
    .toSorted();
}

const without = (name: string): object =>
  Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));

describe("the comparison of a value with its schema", () => {
  it.each<[string, unknown, readonly string[]]>([
    ["no difference", good, []],
    ["a missing field", without("id"), ["/id missing!"]],
    ["a text that is too short", { ...good, id: "i" }, ["/id format!"]],
    ["a number instead of a text", { ...good, id: 7 }, ["/id type!"]],
    ["null instead of a text", { ...good, id: null }, ["/id null!"]],
    ["an unlisted value of an open list", { ...good, state: "LOST" }, ["/state enum"]],
    [
      "an unlisted value of an open list in one of two parts",
      { ...good, plant: { ...good.plant, sort: "ELM" } },
      ["/plant/sort enum"],
    ],
    ["an unlisted value of a closed list", { ...good, kind: "LIFE" }, ["/kind enum!"]],
    ["a number instead of a listed text", { ...good, kind: 7 }, ["/kind type!"]],
    ["a text instead of a nullable number", { ...good, sum: "1" }, ["/sum type!"]],
    ["the second alternative", { ...good, thing: { type: "house", floors: 2 } }, []],
    [
      "an additional field of an alternative",
      { ...good, thing: { type: "car", seats: 5, c: 1 } },
      ["/thing/c added"],
    ],
    ["a value of no alternative's type", { ...good, either: true }, ["/either type!"]],
    ["a decimal instead of a whole number", { ...good, either: 1.5 }, ["/either type!"]],
    [
      "an additional field beside two parts",
      { ...good, both: { a: "a", b: "b", c: 1 } },
      ["/both/c added"],
    ],
    [
      "additional fields beside and within parts that are not merged",
      { ...good, plant: { name: "a", below: [{ name: "b", x: 1 }], height: 7, color: 1 } },
      ["/plant/below/*/x added", "/plant/color added"],
    ],
    ["a missing part", { ...good, both: { a: "a" } }, ["/both/b missing!"]],
    [
      "an additional field in a map",
      { ...good, byName: { Maria: { n: 1, m: 2 } } },
      ["/byName/*/m added"],
    ],
    ["a wrong value in a map", { ...good, byName: { Maria: { n: "1" } } }, ["/byName/*/n type!"]],
    [
      "an additional field in a tuple",
      { ...good, pair: [{ x: 1, z: 1 }, "y"] },
      ["/pair/*/z added"],
    ],
    ["more values than a tuple has", { ...good, pair: [{ x: 1 }, "y", 7] }, ["/pair format!"]],
    ["a wrong value in a tuple", { ...good, pair: [{ x: 1 }, 7] }, ["/pair/* type!"]],
    [
      "an additional field of a closed object",
      { ...good, closed: { only: "x", m: 1 } },
      ["/closed/m added!"],
    ],
    [
      "an additional field deep in a recursive value",
      { ...good, tree: { name: "a", below: [{ name: "b", below: [{ name: "c", x: 1 }] }] } },
      ["/tree/below/*/below/*/x added"],
    ],
    [
      "a wrong value deep in a recursive value",
      { ...good, tree: { name: "a", below: [{ name: "b", below: [{ name: 1 }] }] } },
      ["/tree/below/*/below/*/name type!"],
    ],
    ["an additional field", { ...good, color: "red" }, ["/color added"]],
    [
      "an additional field whose name may be personal data",
      { ...good, "1234": "red" },
      ["/* added"],
    ],
    [
      "an additional field with the name of a built-in method",
      { ...good, toString: 1 },
      ["/toString added"],
    ],
    ["a text instead of an object", { ...good, tree: "abc" }, ["/tree type!"]],
    ["null instead of an object", { ...good, tree: null }, ["/tree null!"]],
    ["a text instead of a map", { ...good, byName: "abc" }, ["/byName type!"]],
    ["an object instead of a list", { ...good, pair: { 0: 1 } }, ["/pair type!"]],
    ["a list instead of the whole value", [], [" type!"]],
    ["null instead of the whole value", null, [" null!"]],
  ])(
    "the drift comparison lists the differences between a value and its declared schema: %s",
    (_, value, differences) => {
      expect(found(value)).toEqual(differences);
    },
  );

  it("the drift comparison accepts schemas that are made with the functions `loose` and `strict` of the contract", () => {
    const compare = compareDeclared(
      loose<{ holder: { name: string } }>({
        holder: z.looseObject({ name: z.string() }),
      }),
    );
    const closed = compareDeclared(strict<{ name: string }>({ name: z.string() }));
    expect(compare({ holder: { name: "x", age: 7 }, more: 1 })).toEqual([
      { pointer: "/holder/age", kind: "added", breaking: false },
      { pointer: "/more", kind: "added", breaking: false },
    ]);
    expect(closed({ name: "x", age: 7 })).toEqual([
      { pointer: "/age", kind: "added", breaking: true },
    ]);
  });
});

it("the drift comparison lists an undeclared field only once, even if the field is below forty levels of recursive alternatives", () => {
  const choice: z.ZodMiniType = anyOf(
    ...["a", "b", "c"].map((kind) =>
      z.looseObject({
        kind: z.literal(kind),
        get next() {
          return z.exactOptional(choice);
        },
      }),
    ),
  );
  let value: object = { kind: "c", more: 1 };
  for (let level = 1; level < 40; level += 1) value = { kind: "c", next: value };
  expect(compareDeclared(zodSchema<unknown>(choice))(value)).toEqual([
    { pointer: `${"/next".repeat(39)}/more`, kind: "added", breaking: false },
  ]);
});
