import { describe, expect, it } from "vitest";
import {
  type Counter,
  createCounter,
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

/** A store that keeps what it is given, and does with each write what the test says. */
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

function counterOn(store: ReturnType<typeof storeOf>): Counter {
  const counter = createCounter(createDays("Europe/Athens"), () => NOON);
  counter.writeTo(store);
  return counter;
}

describe("a counter", () => {
  it("has at most one call in 200 of all not written, and those of one write", async () => {
    const store = storeOf(async () => {});
    const counter = counterOn(store);
    for (let call = 1; call <= 5_000; call += 1) {
      counter.called(place);
      // A write takes as long as one call.
      await Promise.resolve();
      await new Promise(setImmediate);
      expect(call - callsIn(store.counts)).toBeLessThanOrEqual(call / 200 + 1);
    }
    expect(store.counts.length, "large batches, once there is much").toBeLessThan(1_000);
    await counter.flush();
    expect(callsIn(store.counts)).toBe(5_000);
  });

  it("a counter never repeats a write that the store may have taken, and reports the uncertain number", async () => {
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

  it("counts a call and its failure on the day on which it was taken", async () => {
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

  it("does not make callers wait for a store that hangs", async () => {
    const store = storeOf(() => new Promise(() => {}));
    const counter = counterOn(store);
    expect(await counter.refresh(place)).toBe(false);
    expect(await counter.refresh(place), "at once, from then on").toBe(false);
  });
});
