import type { AttemptResult } from "@insurance-gateway/core/runtime";
import { describe, expect, it, vi } from "vitest";
import { createEvents, type Observation, unobserved } from "../../../src/events.ts";
import { countUnmatchedAnswers } from "../../../src/operator/observation/counted-answers.ts";
import {
  addDuration,
  createDurationBuckets,
  createProviderHealth,
  percentileOf,
} from "../../../src/operator/observation/provider-health.ts";
import { shareUnknownQuery } from "../../../src/operator/observation/unknown-submissions.ts";
import { holdTimers } from "../../harness/held-timers.ts";

const motor = { segment: "motor", endpoint: "quote", kind: "quote" } as const;

describe("the health of a provider", () => {
  const START = Date.parse("2026-11-22T10:00:00Z");
  let now = START;
  const healthAt = (at: number): ReturnType<typeof createProviderHealth> => {
    now = at;
    return createProviderHealth(() => now);
  };
  const record = (
    health: ReturnType<typeof createProviderHealth>,
    result: AttemptResult,
    ms = 100,
  ): void => health.observation.attemptEnded({ ...motor, result, durationMs: ms });
  const nothing = { calls: 0, refused: 0, errorRate: null, p50Ms: null, p95Ms: null };

  it("a provider's health counts attempts as answered or failed, and ignores cancelled calls and refused credentials", () => {
    const health = healthAt(START);
    for (const result of [
      "answered",
      "unusable",
      "failed",
      "cancelled",
      "credentials_refused",
    ] as const)
      record(health, result);
    expect(health.figures("motor")).toEqual({
      calls: 3,
      refused: 0,
      errorRate: 2 / 3,
      p50Ms: 101.8,
      p95Ms: 101.8,
      lastSuccessAt: START,
    });
    expect(health.figures("home")).toEqual({ ...nothing, lastSuccessAt: null });
  });

  it("a provider's health has no last success if no attempt succeeded", () => {
    const health = healthAt(START);
    record(health, "failed");
    expect(health.figures("motor")).toMatchObject({ calls: 1, lastSuccessAt: null });
  });

  it("a provider's health covers the last five minutes and is updated every ten seconds", () => {
    const health = healthAt(START);
    record(health, "answered");
    now = START + 9_999;
    record(health, "answered");
    now = START + 10_000;
    record(health, "failed");
    now = START + 299_999;
    expect(health.figures("motor").calls).toBe(3);
    now = START + 300_000;
    expect(health.figures("motor")).toMatchObject({ calls: 1, errorRate: 1 });
    record(health, "answered");
    expect(health.figures("motor")).toMatchObject({ calls: 2, errorRate: 0.5 });
    now = START + 310_000;
    expect(health.figures("motor").calls).toBe(1);
    now = START + 600_000;
    expect(health.figures("motor")).toEqual({ ...nothing, lastSuccessAt: START + 300_000 });
  });

  it("a provider's health ignores calls dated in the future after the clock was set back", () => {
    const health = healthAt(START + 20_000);
    record(health, "failed");
    now = START + 19_999;
    expect(health.figures("motor").calls).toBe(0);
  });
});

describe("the distribution of durations", () => {
  const percentile = (share: number, ...durations: readonly number[]): number | null => {
    const buckets = createDurationBuckets();
    for (const duration of durations) addDuration(buckets, duration);
    return percentileOf([buckets], share);
  };

  it.each([
    [0, 1],
    [1, 1],
    [1.05, 1],
    [1.1, 1],
    [1.11, 1.2],
    [10, 10.3],
    [1_000, 1_002.2],
    [90_000, 88_394.6],
    [10_000_000, 88_394.6],
  ])("the list of providers counts a call's duration of %d ms as %d ms", (duration, shown) => {
    expect(percentile(0.5, duration)).toBe(shown);
  });

  it("half of the counted durations do not exceed the reported median, and 95 % do not exceed the 95th percentile", () => {
    expect(percentile(0.5)).toBeNull();
    expect(percentile(0.5, 1, 1_000)).toBe(1);
    expect(percentile(0.5, 1, 1_000, 1_000)).toBe(1_002.2);
    const many = Array.from({ length: 95 }, () => 10);
    expect(percentile(0.95, ...many, 1_000, 1_000, 1_000, 1_000, 1_000)).toBe(10.3);
    expect(percentile(0.95, ...many, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000)).toBe(1_002.2);
  });

  it("a percentile of several distributions is computed from the values of all distributions together", () => {
    const [one, other] = [createDurationBuckets(), createDurationBuckets()];
    addDuration(one, 10);
    addDuration(other, 10);
    addDuration(other, 1_000);
    expect(percentileOf([one, other], 0.5)).toBe(10.3);
    expect(percentileOf([one, other], 0.7)).toBe(1_002.2);
    expect(percentileOf([], 0.5)).toBeNull();
  });
});

describe("the number of unknown submissions", () => {
  it("the gateway counts unknown submissions with one store query at a time, and a reader of the number waits at most a second", async () => {
    holdTimers(["setTimeout", "clearTimeout"]);
    const counts: PromiseWithResolvers<ReadonlyMap<string, number>>[] = [];
    const read = shareUnknownQuery(() => {
      const count = Promise.withResolvers<ReadonlyMap<string, number>>();
      counts.push(count);
      return count.promise;
    });
    const answers: unknown[] = [];
    const ask = (): void => void read().then((answer) => answers.push(answer));
    ask();
    ask();
    await vi.advanceTimersByTimeAsync(999);
    expect([counts.length, answers]).toEqual([1, []]);
    await vi.advanceTimersByTimeAsync(1);
    expect(answers).toEqual([null, null]);
    ask();
    expect(counts).toHaveLength(1);
    const known = new Map([["motor", 1]]);
    counts[0]?.resolve(known);
    await new Promise(setImmediate);
    expect(answers).toEqual([null, null, known]);
    expect(vi.getTimerCount()).toBe(0);
    ask();
    counts[1]?.reject(new Error("unavailable"));
    await new Promise(setImmediate);
    expect([counts.length, answers.at(-1)]).toEqual([2, null]);
  });
});

describe("insurers' answers that match no row in `failures`", () => {
  const answer = { status: 409, mediaType: "application/json", code: "E-1", at: "/code" };

  it("the list of insurers' unmatched answers has the number, the first time and the last time of each kind of answer", () => {
    let now = Date.parse("2026-11-22T10:00:00Z");
    const unmatched = countUnmatchedAnswers(() => now);
    unmatched.count(motor, answer);
    unmatched.count(motor, { ...answer, code: "E-2" });
    now += 1_000;
    unmatched.count(motor, { ...answer, code: "E-2" });
    const [firstAt, lastAt] = ["2026-11-22T10:00:00.000Z", "2026-11-22T10:00:01.000Z"];
    const place = { segment: "motor", endpoint: "quote" };
    expect(unmatched.list()).toEqual([
      { ...place, ...answer, code: "E-2", count: 2, firstAt, lastAt },
      { ...place, ...answer, count: 1, firstAt, lastAt: firstAt },
    ]);
  });

  it("the list of insurers' unmatched answers counts all kinds beyond the first 500 together, without error codes", () => {
    const unmatched = countUnmatchedAnswers(() => 0);
    for (let number = 1; number <= 502; number += 1)
      unmatched.count(motor, { ...answer, code: `E-${number}` });
    unmatched.count(motor, { ...answer, code: "E-500" });
    const listed = unmatched.list();
    expect(listed).toHaveLength(501);
    expect(listed.slice(0, 2)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: "E-500", count: 2 }),
        expect.objectContaining({
          code: null,
          at: null,
          mediaType: "other",
          status: 409,
          count: 2,
        }),
      ]),
    );
  });
});

describe("the events of the gateway", () => {
  const names = Object.keys(unobserved).filter(
    (name) => name !== "observe",
  ) as (keyof Observation)[];

  it("each event reaches every observer that has a function for the event, in the order of the observers", () => {
    const received: unknown[] = [];
    const noting = (who: string): Partial<Observation> =>
      Object.fromEntries(
        names.map((name) => [
          name,
          (...given: readonly unknown[]) => received.push([who, name, ...given]),
        ]),
      );
    const combined = createEvents(noting("one"), {});
    combined.observe(noting("other"));
    for (const name of names) {
      // `createEvents` passes the values of an event on unchanged, so the test may use any values.
      const given = Array.from({ length: combined[name].length }, (_, index) => `${name} ${index}`);
      Reflect.apply(combined[name], combined, given);
      expect(received.splice(0)).toEqual([
        ["one", name, ...given],
        ["other", name, ...given],
      ]);
    }
  });
});
