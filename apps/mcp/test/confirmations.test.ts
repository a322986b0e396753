import { describe, expect, it } from "vitest";
import { createConfirmations } from "../src/confirmations.ts";

const pending = { tool: "t", parts: { body: { a: 1, b: [{ c: 2, d: 3 }] } }, idempotencyKey: "k" };

describe("a confirmation", () => {
  it("holds for ten minutes and no longer", () => {
    let now = 0;
    const confirmations = createConfirmations(() => now);
    const [soon, late] = [confirmations.open(pending), confirmations.open(pending)];
    now = 599_999;
    expect(confirmations.holds(soon, pending)).toBe(true);
    expect(confirmations.holds(soon, pending)).toBe(true);
    now = 600_000;
    expect(confirmations.holds(late, pending)).toBe(false);
  });

  it("is the same for the same JSON, and for no other order of a list", () => {
    const confirmations = createConfirmations(() => 0);
    const parts = { body: { b: [{ d: 3, c: 2 }], a: 1 } };
    expect(confirmations.holds(confirmations.open(pending), { ...pending, parts })).toBe(true);
    const listed = { ...pending, parts: { body: [1, 2] } };
    const turned = { ...pending, parts: { body: [2, 1] } };
    expect(confirmations.holds(confirmations.open(listed), turned)).toBe(false);
  });

  it("belongs to its tool", () => {
    const confirmations = createConfirmations(() => 0);
    expect(confirmations.holds(confirmations.open(pending), { ...pending, tool: "u" })).toBe(false);
  });

  it("gives way, the oldest first, when a hundred are open", () => {
    const confirmations = createConfirmations(() => 0);
    const codes = Array.from({ length: 101 }, () => confirmations.open(pending));
    expect(new Set(codes).size).toBe(101);
    const taken = codes.map((code) => confirmations.holds(code, pending));
    expect(taken).toEqual(codes.map((_, index) => index > 0));
  });
});
