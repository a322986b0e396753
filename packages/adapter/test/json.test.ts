import { parseJson } from "@insurance-gateway/adapter";
import { expect, it } from "vitest";

it("the JSON parser keeps every digit of a 64-bit number, regardless of its position in the text", () => {
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
