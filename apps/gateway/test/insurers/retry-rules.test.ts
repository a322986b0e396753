import { describe, expect, it } from "vitest";
import { createRetries } from "../../src/insurers/resilience/retries.ts";

const settings = { attempts: 3, firstWaitMs: 100, longestWaitMs: 2_000, budgetPercent: 20 };

describe("the wait before a retry", () => {
  it.each([
    ["after the first attempt", 1, 0.5, null, 50],
    ["after the second attempt", 2, 0.5, null, 100],
    ["with the random number 0", 1, 0, null, 0],
    ["the insurer's Retry-After and a random time", 1, 0.5, 1, 1_050],
    ["the longest Retry-After and a random time", 1, 0.5, 2, 2_050],
    ["no retry after a Retry-After above the longest wait", 1, 0.5, 3, null],
    ["no retry after the last attempt", 3, 0.5, null, null],
  ])(
    "the wait before a retry depends on the attempt, a random number and the insurer's Retry-After: %s",
    (_, attempt, random, retryAfter, expected) => {
      const retries = createRetries(
        () => settings,
        () => random,
      );
      expect(retries.next(attempt, retryAfter, 15_000)).toBe(expected);
    },
  );

  it("the wait before a retry never exceeds the longest wait, even after many attempts", () => {
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
    "the gateway retries a call only if at least 100 ms are left after the wait: %i ms left, wait %s",
    (leftMs, expected) => {
      const retries = createRetries(
        () => settings,
        () => 0.5,
      );
      expect(retries.next(1, null, leftMs)).toBe(expected);
    },
  );
});

describe("the retry budget", () => {
  it("the retry budget allows ten retries at the start, and a further retry for every five calls", () => {
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

  it("the retry budget saves at most ten retries", () => {
    const retries = createRetries(
      () => settings,
      () => 0,
    );
    for (let call = 0; call < 1_000; call += 1) retries.called();
    const waits = Array.from({ length: 11 }, () => retries.next(1, null, 15_000));
    expect(waits).toEqual([...Array.from({ length: 10 }, () => 0), null]);
  });

  it("the retry budget allows a retry only after it has saved a whole retry", () => {
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

  it("a retry budget of 0 % allows no retry", () => {
    expect(
      createRetries(() => ({ ...settings, budgetPercent: 0 })).next(1, null, 15_000),
    ).toBeNull();
  });
});
