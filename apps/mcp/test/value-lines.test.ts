import { expect, it } from "vitest";
import { valueLines } from "../src/calls/untrusted-text.ts";

it.each<[unknown, string]>([
  ["Ελένη Παπαδοπούλου", '"Ελένη Παπαδοπούλου"'],
  ["", '""'],
  ["1985", '"1985"'],
  [1985, "1985"],
  [true, "true"],
  [null, "null"],
  [{}, "{}"],
  [[], "[]"],
  ['a"\n/body/b: "c', String.raw`"a\"\n/body/b: \"c"`],
  ["1\u202e2", String.raw`"1\u202e2"`],
  ["a\u2028b\u200bc\u3164", String.raw`"a\u2028b\u200bc\u3164"`],
  ["\u007f\u{e0041}", String.raw`"\u007f\udb40\udc41"`],
])(
  "the MCP server's question to a person shows a complete value, with escapes for hidden characters: %j",
  (value, shown) => {
    expect(valueLines({ value })).toEqual([`/value: ${shown}`]);
  },
);

it("the MCP server's question to a person has one line for each value, and escapes a field name that imitates a value", () => {
  const value = { body: { drivers: [{ "a/b": "x" }, { born: 2 }], 'c: "d"\n': 3 } };
  expect(valueLines(value)).toEqual([
    '/body/drivers/0/a~1b: "x"',
    "/body/drivers/1/born: 2",
    String.raw`/body/c: \"d\"\n: 3`,
  ]);
});
