import { describe, expect, it } from "vitest";
import { createRetries } from "../../src/insurers/resilience/retries.ts";

const settings = { attempts: 3, firstWaitMs: 100, longestWaitMs: 2_000, budgetPercent: 20 };

describe("the wait before another attempt", () => {
  it.each([
    ["after the first", 1, 0.5, null, 50],
    ["after the second", 2, 0.5, null, 100],
    ["with no luck", 1, 0, null, 0],
    ["as the insurer asked, and a little later", 1, 0.5, 1, 1_050],
    ["as the insurer asked, for the longest wait at most", 1, 0.5, 2, 2_050],
    ["not when the insurer asks for more than the longest wait", 1, 0.5, 3, null],
    ["not after the last", 3, 0.5, null, null],
  ])("%s", (_, attempt, random, retryAfter, expected) => {
    const retries = createRetries(
      () => settings,
      () => random,
    );
    expect(retries.next(attempt, retryAfter, 15_000)).toBe(expected);
  });

  it("is never longer than the longest, however many attempts there are", () => {
    const retries = createRetries(
      () => ({ ...settings, attempts: 10 }),
      () => 0.999,
    );
    expect(retries.next(9, null, 15_000)).toBeLessThan(2_000);
  });

  it.each([
    [150, 50],
    [149, null],
  ])(
    "the wait before another attempt with %i ms left must leave a tenth of a second for the attempt",
    (leftMs, expected) => {
      const retries = createRetries(
        () => settings,
        () => 0.5,
      );
      expect(retries.next(1, null, leftMs)).toBe(expected);
    },
  );
});

describe("the budget", () => {
  it("is one attempt more for five calls, after the ten that are there at the start", () => {
    const retries = createRetries(
      () => settings,
      () => 0,
    );
    let again = 0;
    for (let call = 0; call < 1_000; call += 1) {
      retries.called();
      if (retries.next(1, null, 15_000) !== null) again += 1;
    }
    expect(again).toBeLessThanOrEqual(210);
    expect(again).toBeGreaterThanOrEqual(200);
  });

  it("saves ten attempts at most, however many calls need none", () => {
    const retries = createRetries(
      () => settings,
      () => 0,
    );
    for (let call = 0; call < 1_000; call += 1) retries.called();
    const waits = Array.from({ length: 11 }, () => retries.next(1, null, 15_000));
    expect(waits).toEqual([...Array.from({ length: 10 }, () => 0), null]);
  });

  it("must have a whole attempt", () => {
    const retries = createRetries(
      () => ({ ...settings, budgetPercent: 50 }),
      () => 0,
    );
    const next = (): number | null => retries.next(1, null, 15_000);
    for (let attempt = 0; attempt < 10; attempt += 1) next();
    retries.called();
    expect(next()).toBeNull();
    retries.called();
    expect(next()).toBe(0);
  });

  it("an empty budget allows no retry", () => {
    expect(
      createRetries(() => ({ ...settings, budgetPercent: 0 })).next(1, null, 15_000),
    ).toBeNull();
  });
});
