import { describe, expect, it } from "vitest";
import {
  createCounter,
  type UsageCounter,
  type UsagePlace,
} from "../../../src/accounts/usage/counter.ts";
import { createDays } from "../../../src/accounts/usage/days.ts";
import { StoreUnavailableError } from "../../../src/store/faults.ts";
import type { AccountDay, UsageCounts } from "../../../src/store/stored-usage.ts";

const NOON = Date.parse("2026-11-22T10:00:00Z");
const place: UsagePlace = {
  account: "broker-7",
  segment: "motor",
  endpoint: "quote",
  kind: "quote",
};

/**
 * Returns a store that keeps the received counts. `answer` decides when each write ends, and whether the write fails.
 */
function storeOf(answer: (write: number) => Promise<void>): {
  readonly counts: UsageCounts[];
  addCounts(counts: UsageCounts, asked: readonly AccountDay[]): Promise<readonly number[]>;
} {
  const counts: UsageCounts[] = [];
  let write = 0;
  return {
    counts,
    async addCounts(given, asked) {
      write += 1;
      await answer(write);
      counts.push(given);
      return asked.map(() => callsIn(counts));
    },
  };
}

function callsIn(counts: readonly UsageCounts[]): number {
  return counts.flatMap(({ calls }) => calls).reduce((sum, { calls }) => sum + calls, 0);
}

function counterOn(store: ReturnType<typeof storeOf>): UsageCounter {
  const counter = createCounter(createDays("Europe/Athens"), () => NOON);
  counter.writeTo(store);
  return counter;
}

describe("the usage counter", () => {
  it("the usage counter never has more unwritten calls than 0.5 % of the counted calls, plus one call", async () => {
    const store = storeOf(async () => {});
    const counter = counterOn(store);
    for (let call = 1; call <= 5_000; call += 1) {
      counter.called(place);
      // Each write ends before the next call.
      await Promise.resolve();
      await new Promise(setImmediate);
      expect(call - callsIn(store.counts)).toBeLessThanOrEqual(call / 200 + 1);
    }
    expect(store.counts.length, "the counter writes large batches").toBeLessThan(1_000);
    await counter.flush();
    expect(callsIn(store.counts)).toBe(5_000);
  });

  it("the usage counter never repeats a write that the store may have executed, and reports the number of calls in such writes", async () => {
    const store = storeOf(async (write) => {
      if (write === 1) throw new StoreUnavailableError("timeout", true);
    });
    const counter = counterOn(store);
    counter.called(place);
    counter.called(place);
    await counter.flush();
    await counter.flush();
    expect(counter.lost()).toBe(2);
    expect(callsIn(store.counts)).toBe(0);
  });

  it("the usage counter counts a call's failure on the day of the call, even if the call fails on the next day", async () => {
    const store = storeOf(async () => {});
    let now = Date.parse("2026-10-25T21:59:59.999Z");
    const counter = createCounter(createDays("Europe/Athens"), () => now);
    const failed = counter.called(place);
    now += 1;
    failed();
    counter.called(place);
    counter.writeTo(store);
    await counter.flush();
    expect(store.counts.flatMap(({ calls }) => calls)).toEqual([
      { ...place, day: "2026-10-25", calls: 1, failedCalls: 1 },
      { ...place, day: "2026-10-26", calls: 1, failedCalls: 0 },
    ]);
  });

  it("a caller waits no longer than the refresh timeout for a store that never answers the usage counter", async () => {
    const store = storeOf(() => new Promise(() => {}));
    const counter = counterOn(store);
    expect(await counter.refresh(place)).toBe(false);
    expect(await counter.refresh(place), "the second refresh returns at once").toBe(false);
  });
});
