import { expect, it } from "vitest";
import { createRandomPool } from "../src/random.ts";

it("gives no byte twice, also when it is filled again, and refuses more than it holds", () => {
  const { bytes, take } = createRandomPool();
  const taken = Array.from({ length: 1_000 }, () => {
    const start = take(12);
    return bytes.toString("hex", start, start + 12);
  });
  expect(new Set(taken).size).toBe(1_000);
  expect(taken.every((text) => text.length === 24)).toBe(true);
  expect(take(bytes.length)).toBe(0);
  expect(() => take(bytes.length + 1)).toThrow(RangeError);
});
