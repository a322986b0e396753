import { describe, expect, it } from "vitest";
import { createConfirmationCodes } from "../src/submissions/confirmation.ts";

const pending = { tool: "t", parts: { body: { a: 1, b: [{ c: 2, d: 3 }] } }, idempotencyKey: "k" };

describe("confirmation codes", () => {
  it("a confirmation code is valid for ten minutes", () => {
    let now = 0;
    const codes = createConfirmationCodes(() => now);
    const [soon, late] = [codes.create(pending), codes.create(pending)];
    now = 599_999;
    expect(codes.confirms(soon, pending)).toBe(true);
    expect(codes.confirms(soon, pending)).toBe(true);
    now = 600_000;
    expect(codes.confirms(late, pending)).toBe(false);
  });

  it("a confirmation code is valid for a submission with another order of fields, but not with another order of list items", () => {
    const codes = createConfirmationCodes(() => 0);
    const parts = { body: { b: [{ d: 3, c: 2 }], a: 1 } };
    expect(codes.confirms(codes.create(pending), { ...pending, parts })).toBe(true);
    const listed = { ...pending, parts: { body: [1, 2] } };
    const turned = { ...pending, parts: { body: [2, 1] } };
    expect(codes.confirms(codes.create(listed), turned)).toBe(false);
  });

  it("a confirmation code is not valid for the same input of another tool", () => {
    const codes = createConfirmationCodes(() => 0);
    expect(codes.confirms(codes.create(pending), { ...pending, tool: "u" })).toBe(false);
  });

  it("the oldest confirmation code becomes invalid when a hundred newer codes are valid", () => {
    const codes = createConfirmationCodes(() => 0);
    const created = Array.from({ length: 101 }, () => codes.create(pending));
    expect(new Set(created).size).toBe(101);
    const taken = created.map((code) => codes.confirms(code, pending));
    expect(taken).toEqual(created.map((_, index) => index > 0));
  });
});
