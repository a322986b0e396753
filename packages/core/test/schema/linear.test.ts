import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { check, type Schema } from "../../src/contract/index.ts";
import { anyOf, integer, list, loose, map, oneOf, string, zod } from "../../src/schema/index.ts";

interface Node {
  readonly name: string;
  readonly next?: Node;
}

/**
 * Creates a recursive choice whose alternatives have a common nested field, and counts the checks of the field `name`.
 */
function recursiveChoice(
  count: number,
  choose: typeof anyOf | typeof oneOf,
): { readonly schema: Schema<Node>; readonly steps: () => number } {
  let steps = 0;
  const counted = string().check(
    z.refine(() => {
      steps += 1;
      return true;
    }),
  );
  const schema: Schema<Node> = choose(
    ...Array.from({ length: count }, (_, index) =>
      zod(
        loose<Node & { flag: number }>({
          name: counted,
          get next() {
            return z.exactOptional(zod(schema));
          },
          flag: integer({ minimum: index, maximum: index }),
        }),
      ),
    ),
  );
  return { schema, steps: () => steps };
}

/**
 * Returns nested objects that match the last alternative. If `isWrong`, the innermost object matches no alternative.
 */
function nested(levels: number, flag: number, isWrong: boolean): object {
  let value: object = { name: "x", flag: isWrong ? "wrong" : flag };
  for (let level = 1; level < levels; level += 1) value = { name: "x", flag, next: value };
  return value;
}

const choices = fc.record({
  count: fc.integer({ min: 2, max: 5 }),
  levels: fc.integer({ min: 1, max: 12 }),
  isWrong: fc.boolean(),
  choose: fc.constantFrom(anyOf, oneOf),
});

describe("the cost of the schema check", () => {
  it.each([
    ["interpreted", (schema: Schema<Node>): Schema<unknown> => schema],
    ["compiled", (schema: Schema<Node>): Schema<unknown> => z.compile(zod(schema))],
  ])(
    "the schema check of recursive alternatives takes at most one step for each alternative and level: %s",
    (_, prepare) => {
      fc.assert(
        fc.property(choices, ({ choose, count, isWrong, levels }) => {
          const { schema, steps } = recursiveChoice(count, choose);
          const checked = check(prepare(schema), nested(levels, count - 1, isWrong));
          expect(checked.valid).toBe(!isWrong);
          expect(steps()).toBeLessThanOrEqual(count * levels);
        }),
      );
    },
  );

  it("the schema check reports at most 100 faults of one list or map", () => {
    const schema = loose<{ lists: string[][] }>({ lists: list(list(string({ maxLength: 1 }))) });
    const lists = check(schema, { lists: [["a"], Array(300_000).fill("too long")] });
    expect(lists.valid ? [] : lists.faults).toHaveLength(100);
    const maps = loose<{ map: Record<string, number> }>({ map: map(integer()) });
    const fields = Array.from({ length: 200_000 }, (_, index) => [`k${index}`, "x"]);
    const checked = check(maps, { map: Object.fromEntries(fields) });
    expect(checked.valid ? [] : checked.faults).toHaveLength(100);
  });

  it("the schema check does not match a text against a pattern if the text exceeds its maximum length", () => {
    const schema = loose<{ name: string }>({ name: string({ maxLength: 2, pattern: /^[a-z]+$/ }) });
    for (const one of [schema, z.compile(zod(schema))])
      expect(check(one, { name: "ABC" })).toMatchObject({ faults: [{ code: "LENGTH" }] });
    expect(check(schema, { name: "AB" })).toMatchObject({ faults: [{ code: "FORMAT" }] });
  });

  it("the schema check refuses a value with 50,000 levels without throwing", async () => {
    const { schema } = recursiveChoice(2, anyOf);
    expect(check(schema, nested(50_000, 1, false)).valid).toBe(false);
    // An unhandled rejection would end the process.
    await new Promise(setImmediate);
  });
});
