import { beforeEach, describe, expect, it } from "vitest";
import { createUsage, type Usage } from "../../../src/accounts/usage/account-usage.ts";
import { createCounter, type UsagePlace } from "../../../src/accounts/usage/counter.ts";
import { createDays } from "../../../src/accounts/usage/days.ts";
import { StoreUnavailableError } from "../../../src/store/faults.ts";
import type { SubmissionStore } from "../../../src/store/store.ts";
import type { AccountDay, CountedAttempts, UsageCounts } from "../../../src/store/stored-usage.ts";
import type { Time } from "../../../src/time.ts";

const NOON = Date.parse("2026-11-22T10:00:00Z");
const place: UsagePlace = {
  account: "broker-7",
  segment: "motor",
  endpoint: "quote",
  kind: "quote",
};
const unavailable = (mayBeWritten: boolean): StoreUnavailableError =>
  new StoreUnavailableError("ECONNREFUSED", mayBeWritten);

describe("an account's counted calls", () => {
  /** The store's reactions to the next writes, in order. */
  let answers: (() => Promise<void>)[];
  let written: UsageCounts[];
  let now: number;
  beforeEach(() => {
    answers = [];
    written = [];
    now = NOON;
  });
  /** Returns a counter on a store in which other processes have already counted 100 calls. */
  function counterOn(): ReturnType<typeof createCounter> {
    const counter = createCounter(createDays("Europe/Athens"), () => now);
    counter.writeTo({
      async addCounts(counts: UsageCounts, asked: readonly AccountDay[]) {
        await answers.shift()?.();
        written.push(counts);
        const calls = written.flatMap(({ calls: some }) => some);
        const total = calls.reduce((sum, one) => sum + one.calls, 100);
        return asked.map(() => total);
      },
    });
    return counter;
  }

  it("an account's call counter reports the total of all processes at the last refresh plus this process's later calls", async () => {
    const counter = counterOn();
    expect(counter.known(place)).toBeNull();
    counter.called(place);
    expect(counter.known(place)).toBeNull();
    expect(await counter.refresh(place)).toBe(true);
    expect(counter.known(place)).toEqual({ used: 101, since: 0 });
    counter.called(place);
    counter.called(place);
    counter.called({ ...place, account: "broker-8" });
    expect(counter.known(place)).toEqual({ used: 103, since: 2 });
    await counter.flush();
    expect(counter.known(place), "a write without a question").toEqual({ used: 103, since: 2 });
  });

  it("an account's call counter includes calls that were counted during a refresh, even if the refresh fails", async () => {
    const counter = counterOn();
    await counter.refresh(place);
    counter.called(place);
    await counter.flush();
    const first = Promise.withResolvers<void>();
    answers = [() => first.promise, async () => {}, () => Promise.reject(unavailable(false))];
    const refreshed = counter.refresh(place);
    await Promise.resolve();
    counter.called(place);
    expect(counter.known(place)).toEqual({ used: 102, since: 2 });
    first.resolve();
    expect(await refreshed).toBe(true);
    expect(counter.known(place)).toEqual({ used: 102, since: 1 });
    // The call that was counted last has started a write. `flush` waits for the end of this write.
    await counter.flush();
    expect(await counter.refresh(place)).toBe(false);
    expect(counter.known(place)).toEqual({ used: 102, since: 1 });
    expect(await counter.refresh(place), "not asked again until it has written").toBe(false);
    counter.called(place);
    await counter.flush();
    expect(await counter.refresh(place)).toBe(true);
    expect(counter.known(place)).toEqual({ used: 103, since: 0 });
  });

  it("an account's call counter reports no total on a new day until the first refresh of the day", async () => {
    const counter = counterOn();
    await counter.refresh(place);
    now += 86_400_000;
    counter.called(place);
    expect(counter.known(place)).toBeNull();
  });

  it("an account's call counter adds the counts of a failed write to the next write", async () => {
    const counter = counterOn();
    const duringWrite = (): void => {
      counter.called(place);
      counter.called(place)();
      counter.attempted("motor", true);
      counter.heldBack("motor");
      counter.heldBack("home");
    };
    answers = [
      async () => {
        await Promise.resolve();
        duringWrite();
        throw unavailable(false);
      },
    ];
    counter.called(place)();
    counter.attempted("motor", true);
    counter.attempted("motor", false);
    counter.heldBack("motor");
    counter.attempted("home", true);
    counter.heldBack("life");
    counter.called({ ...place, endpoint: "apply" })();
    await counter.flush();
    await counter.flush();
    const day = "2026-11-22";
    expect(written).toEqual([
      {
        calls: [
          { ...place, day, calls: 3, failedCalls: 2 },
          { ...place, endpoint: "apply", day, calls: 1, failedCalls: 1 },
        ],
        attempts: [
          { day, segment: "motor", attempts: 3, failures: 2, heldBack: 2 },
          { day, segment: "home", attempts: 1, failures: 1, heldBack: 1 },
          { day, segment: "life", attempts: 0, failures: 0, heldBack: 1 },
        ],
      },
    ]);
  });

  it("an account's call counter writes only if the store is open and a call was counted", async () => {
    const alone = createCounter(createDays("Europe/Athens"), () => now);
    alone.called(place);
    await alone.flush();
    expect([alone.unwritten(), await alone.refresh(place)]).toEqual([1, false]);
    await counterOn().flush();
    expect(written).toEqual([]);
  });
});

describe("the usage of all accounts", () => {
  let now: number;
  /** Difference between the store's clock and the process's clock, in milliseconds. */
  let storeAheadMs: number;
  const storeNow = (): number => now + storeAheadMs;
  let elapsed: number;
  let works: Map<number, () => Promise<void>>;
  let calls: unknown[];
  let reading: () => Promise<readonly CountedAttempts[]>;
  let usage: Usage;
  const store = {
    async addCounts(counts: UsageCounts) {
      await new Promise(setImmediate);
      calls.push(["addCounts", counts]);
      return [];
    },
    attemptsSince(day: string) {
      calls.push(["attemptsSince", day]);
      return reading();
    },
    async forgetCounts(...days: readonly string[]) {
      calls.push(["forgetCounts", ...days]);
      throw unavailable(false);
    },
    // Usage calls only these functions of the store.
  } as Partial<SubmissionStore> as SubmissionStore;
  beforeEach(() => {
    now = NOON;
    storeAheadMs = 0;
    elapsed = 100_000;
    works = new Map();
    calls = [];
    reading = async () => [];
    const time: Time = {
      now: () => now,
      elapsed: () => elapsed,
      every(milliseconds, work) {
        works.set(milliseconds, work);
        return async () => void works.delete(milliseconds);
      },
    };
    usage = createUsage({
      timeZone: "Europe/Athens",
      time,
      quotasOf: () => ({}),
      refused: () => {},
      isMaintained: (segment) => segment === "maintained",
    });
  });

  it("the gateway reads the counts of attempts at insurers in the last 90 days from the store, and caches the counts for five seconds", async () => {
    const row: CountedAttempts = {
      day: "2026-11-22",
      segment: "motor",
      attempts: 1,
      failures: 0,
      heldBack: 0,
    };
    expect(await usage.attempts(), "without a store").toBeNull();
    usage.useStore(store, storeNow);
    reading = async () => [row];
    expect(await usage.attempts()).toEqual([row]);
    elapsed += 4_999;
    reading = async () => [];
    expect(await usage.attempts()).toEqual([row]);
    elapsed += 1;
    expect(await usage.attempts()).toEqual([]);
    expect(calls).toEqual([
      ["attemptsSince", "2026-08-25"],
      ["attemptsSince", "2026-08-25"],
    ]);
  });

  it("the gateway's usage has no counts of attempts while the store is unavailable, and throws any other error of the store", async () => {
    usage.useStore(store, storeNow);
    reading = () => Promise.reject(unavailable(false));
    expect(await usage.attempts()).toBeNull();
    elapsed += 5_000;
    reading = () => Promise.reject(new TypeError("fault"));
    await expect(usage.attempts()).rejects.toThrow(new TypeError("fault"));
  });

  it("the gateway writes usage to the store every second, and deletes old usage every hour by the store's clock", async () => {
    storeAheadMs = 86_400_000;
    usage.useStore(store, storeNow);
    expect([...works.keys()]).toEqual([1_000, 3_600_000]);
    await usage.quotas.admit(place);
    await works.get(1_000)?.();
    await works.get(3_600_000)?.();
    expect(calls).toEqual([
      [
        "addCounts",
        {
          calls: [{ ...place, day: "2026-11-22", calls: 1, failedCalls: 0 }],
          attempts: [],
        },
      ],
      ["forgetCounts", "2024-10-23", "2026-08-25"],
    ]);
  });

  it("the gateway writes the remaining usage to the store when the gateway stops", async () => {
    const end = usage.useStore(store, storeNow);
    usage.observation.heldBack({ segment: "motor", endpoint: "quote", kind: "quote" }, "breaker");
    await end();
    expect(works.size).toBe(0);
    const attempts = [
      { day: "2026-11-22", segment: "motor", attempts: 0, failures: 0, heldBack: 1 },
    ];
    expect(calls).toEqual([["addCounts", { calls: [], attempts }]]);
  });

  it("the gateway's usage counts only attempts and unsent calls that show whether the insurer is available", async () => {
    const end = usage.useStore(store, storeNow);
    const { attemptEnded, heldBack } = usage.observation;
    const motor = { segment: "motor", endpoint: "quote", kind: "quote" } as const;
    for (const segment of ["motor", "maintained"]) {
      for (const result of [
        "answered",
        "unusable",
        "credentials_refused",
        "failed",
        "cancelled",
      ] as const)
        attemptEnded({ ...motor, segment, result, durationMs: 1 });
      for (const by of ["breaker", "bulkhead", "maintenance"] as const)
        heldBack({ ...motor, segment }, by);
    }
    await end();
    const attempts = [
      { day: "2026-11-22", segment: "motor", attempts: 4, failures: 1, heldBack: 1 },
    ];
    expect(calls).toEqual([["addCounts", { calls: [], attempts }]]);
  });
});
