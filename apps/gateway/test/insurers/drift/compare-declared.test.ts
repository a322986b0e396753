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
    // A part that contains itself is not merged with the other, as those of "both" are.
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

/** The differences of a value, each as `pointer kind`, with `!` where it breaks. */
function found(value: unknown): readonly string[] {
  return compareDeclared(answer)(value)
    .map(({ breaking, kind, pointer }) => `${pointer} ${kind}${breaking ? "!" : ""}`)
    .toSorted();
}

const without = (name: string): object =>
  Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));

describe("an answer, compared with its declared schema", () => {
  it.each<[string, unknown, readonly string[]]>([
    ["nothing", good, []],
    ["a field that is gone", without("id"), ["/id missing!"]],
    ["a text that is too short", { ...good, id: "i" }, ["/id format!"]],
    ["a text that is a number", { ...good, id: 7 }, ["/id type!"]],
    ["a text that is null", { ...good, id: null }, ["/id null!"]],
    ["a value that an open list does not have", { ...good, state: "LOST" }, ["/state enum"]],
    [
      "a value that an open list of one part of two does not have",
      { ...good, plant: { ...good.plant, sort: "ELM" } },
      ["/plant/sort enum"],
    ],
    ["a value that a list does not have", { ...good, kind: "LIFE" }, ["/kind enum!"]],
    ["a value of a list of another type", { ...good, kind: 7 }, ["/kind type!"]],
    ["a text for a number that may be null", { ...good, sum: "1" }, ["/sum type!"]],
    ["the second of a choice", { ...good, thing: { type: "house", floors: 2 } }, []],
    [
      "an addition in a choice",
      { ...good, thing: { type: "car", seats: 5, c: 1 } },
      ["/thing/c added"],
    ],
    ["neither of a choice of types", { ...good, either: true }, ["/either type!"]],
    ["a number with decimals for a whole one", { ...good, either: 1.5 }, ["/either type!"]],
    [
      "an addition beside two parts",
      { ...good, both: { a: "a", b: "b", c: 1 } },
      ["/both/c added"],
    ],
    [
      "additions beside two parts that are not merged, and within one",
      { ...good, plant: { name: "a", below: [{ name: "b", x: 1 }], height: 7, color: 1 } },
      ["/plant/below/*/x added", "/plant/color added"],
    ],
    ["a part that is gone", { ...good, both: { a: "a" } }, ["/both/b missing!"]],
    ["an addition in a map", { ...good, byName: { Maria: { n: 1, m: 2 } } }, ["/byName/*/m added"]],
    ["a wrong value in a map", { ...good, byName: { Maria: { n: "1" } } }, ["/byName/*/n type!"]],
    ["an addition in a tuple", { ...good, pair: [{ x: 1, z: 1 }, "y"] }, ["/pair/*/z added"]],
    ["more values than a tuple has", { ...good, pair: [{ x: 1 }, "y", 7] }, ["/pair format!"]],
    ["a wrong value in a tuple", { ...good, pair: [{ x: 1 }, 7] }, ["/pair/* type!"]],
    [
      "an addition to a closed object",
      { ...good, closed: { only: "x", m: 1 } },
      ["/closed/m added!"],
    ],
    [
      "an addition deep in what contains itself",
      { ...good, tree: { name: "a", below: [{ name: "b", below: [{ name: "c", x: 1 }] }] } },
      ["/tree/below/*/below/*/x added"],
    ],
    [
      "a fault deep in what contains itself",
      { ...good, tree: { name: "a", below: [{ name: "b", below: [{ name: 1 }] }] } },
      ["/tree/below/*/below/*/name type!"],
    ],
    ["an addition", { ...good, color: "red" }, ["/color added"]],
    ["an addition whose name may be personal", { ...good, "1234": "red" }, ["/* added"]],
    ["an addition that objects have by themselves", { ...good, toString: 1 }, ["/toString added"]],
    ["a text for an object", { ...good, tree: "abc" }, ["/tree type!"]],
    ["null for an object", { ...good, tree: null }, ["/tree null!"]],
    ["a text for a map", { ...good, byName: "abc" }, ["/byName type!"]],
    ["an object for a list", { ...good, pair: { 0: 1 } }, ["/pair type!"]],
    ["a list in place of it all", [], [" type!"]],
    ["null in place of it all", null, [" null!"]],
  ])("has %s", (_, value, differences) => {
    expect(found(value)).toEqual(differences);
  });

  it("is the same for declarations with the contract's own constructors", () => {
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

it("an addition is found once, below forty levels of recursive alternatives", () => {
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
