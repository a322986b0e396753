import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { parseJson, parseJsonText } from "@insurance-gateway/adapter";
import { describe, expect, it } from "vitest";

it("a number of 64 bits keeps its digits wherever the answer has it, also as its last", () => {
  const digits = "9007199254740993";
  for (let before = 0; before < 2 * digits.length; before += 1) {
    const text = `${" ".repeat(before)}${digits}`;
    expect(parseJson(text)).toEqual({ value: digits, isAsWritten: false });
    expect(parseJson(`[12,-${digits},${" ".repeat(before)}3]`)?.value).toEqual([
      12,
      `-${digits}`,
      3,
    ]);
  }
  expect(parseJson("[900719925474099]")).toEqual({ value: [900719925474099], isAsWritten: true });
});

describe("parsing a JSON text", () => {
  it.each([
    "null",
    " 12.50\n",
    '"Ω"',
    '["Ω",1]',
    '{"name":"Άρης","afm":"123456789","__proto__":{"a":1},"list":[[],{}]}',
    `"${"x".repeat(20_000)}"`,
  ])("returns what JSON.parse returns: %.40s", (text) => {
    expect(parseJsonText(text)).toStrictEqual(JSON.parse(text));
  });

  it.each([
    "",
    "  ",
    "1,2",
    "1,",
    ",1",
    "1]",
    '1],["Ω",2',
    '1],"Ω",[2',
    "[1",
    "{",
    '"',
    "NaN",
    `1,"${"x".repeat(20_000)}"`,
  ])("refuses what JSON.parse refuses: %.40s", (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(() => parseJsonText(text)).toThrow(SyntaxError);
  });

  it("keeps short strings out of V8's table", () => {
    setFlagsFromString("--allow-natives-syntax");
    const isInTable = new Script("(text) => %IsInternalizedString(text)").runInThisContext();
    const text = JSON.stringify({ afm: "123456789", premium: "418.73" });
    const value = Object.values(Object(parseJson(text)?.value));
    expect(value).toEqual(["123456789", "418.73"]);
    expect(value.map(isInTable)).toEqual([false, false]);
    expect(Object.values(JSON.parse(text)).map(isInTable)).toEqual([true, true]);
  });
});
