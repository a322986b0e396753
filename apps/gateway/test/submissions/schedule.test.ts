import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { SubmissionRecord } from "../../src/store/record.ts";
import type { Reconcile } from "../../src/submissions/reconcile.ts";
import { type Schedule, startSchedule } from "../../src/submissions/schedule.ts";
import { holdTime } from "../harness/held-time.ts";
import { clockAt, sampleSubmission } from "../harness/store-samples.ts";

/** A schedule whose clock stands still, before a store that has so many due queries of one segment. */
interface TestedSchedule extends Schedule {
  /** Starts what is done again and again, and lets it come as far as it does without the clock. */
  readonly round: (milliseconds?: number) => Promise<void>;
  /** The submissions that were queried, in order. */
  readonly queried: readonly string[];
  /** For what was looked each time: what is due then, or what to probe with. */
  readonly lookedFor: readonly (number | "probe")[];
  /** How often every query of the segment was brought forward. */
  readonly broughtForward: () => number;
  /** Whether another process reconciles. */
  readonly store: { led: boolean };
  /** Whether the operator has declared maintenance of the insurer. */
  readonly insurer: { isMaintained: boolean };
  /** Ends the queries that are under way. */
  readonly answer: (isAnswered: boolean) => Promise<void>;
}

function start(due: number, shared = false): TestedSchedule {
  const time = holdTime();
  const works: (() => Promise<void>)[] = [];
  const repeat = (work: () => Promise<void>): (() => Promise<void>) => {
    works.push(work);
    return async () => {};
  };
  const open = Array.from({ length: due }, () => recordOf());
  const queried: string[] = [];
  const lookedFor: (number | "probe")[] = [];
  let answers: (() => void)[] = [];
  let isAnswered = true;
  let broughtForward = 0;
  const leader = { led: false };
  const insurer = { isMaintained: false };
  const reconcile: Reconcile = async ({ id }, { mayAsk }) => {
    await mayAsk();
    queried.push(id);
    await new Promise<void>((resolve) => answers.push(resolve));
    return isAnswered ? "answered" : "unanswered";
  };
  const schedule = startSchedule({
    store: {
      shared,
      lead: async () => !leader.led,
      due: async (_: string, at: number | "probe", limit: number) => {
        lookedFor.push(at);
        return open.slice(0, limit);
      },
      bringForward: async () => {
        broughtForward += 1;
        return 0;
      },
      bringForwardOne: async () => true,
    } as unknown as Parameters<typeof startSchedule>[0]["store"], // the schedule asks for nothing else
    time: { ...time, every: (_, work) => repeat(work) },
    clock: clockAt(() => time.now()),
    stopping: new AbortController().signal,
    isMaintained: () => insurer.isMaintained,
    reconcile,
    segments: ["provider-d"],
    queriesPerSecond: () => 5,
    every: (_, __, work) => repeat(work),
  });
  return {
    ...schedule,
    queried,
    lookedFor,
    broughtForward: () => broughtForward,
    store: leader,
    insurer,
    async round(milliseconds = 0) {
      time.forward(milliseconds);
      for (const work of works) void work();
      await setImmediate();
    },
    async answer(answered) {
      isAnswered = answered;
      const ended = answers;
      answers = [];
      for (const end of ended) end();
      await setImmediate();
    },
  };
}

function recordOf(): SubmissionRecord {
  const unknown = { state: "outcome_unknown", fence: 2, updatedAt: 0, unknownAt: 0 } as const;
  const nothing = {
    unknownRunning: 0,
    absentRunning: null,
    insurerId: null,
    answeredId: null,
    answer: null,
  };
  return { ...sampleSubmission(), ...unknown, ...nothing, queries: 0, nextQueryAt: 0 };
}

describe("the queries of one insurer", () => {
  it("are so many in a second as the limit says, and not one more", async () => {
    const { queried, round } = start(8);
    await round();
    expect(queried).toHaveLength(5);
    await round(999);
    expect(queried).toHaveLength(5);
    await round(1);
    expect(queried).toHaveLength(8);
  });

  it("are one at a time for each submission", async () => {
    const { answer, queried, round } = start(2);
    await round();
    await round();
    expect(queried).toHaveLength(2);
    expect(new Set(queried).size).toBe(2);
    await round(1_000);
    await answer(true);
    expect(queried.length, "an ended query may be made again").toBeGreaterThan(2);
  });

  it("are made by the process that leads", async () => {
    const { queried, round, store } = start(1, true);
    store.led = true;
    await round();
    expect(queried).toHaveLength(0);
    store.led = false;
    // It first learns that it leads.
    for (let count = 0; count < 2; count++) await round();
    expect(queried).toHaveLength(1);
  });

  it("wait while it maintains its service", async () => {
    const { insurer, queried, round } = start(1);
    insurer.isMaintained = true;
    await round();
    expect(queried).toHaveLength(0);
    insurer.isMaintained = false;
    await round();
    expect(queried).toHaveLength(1);
  });

  it("are probes, whether one is due or not, every ten seconds while it answers none", async () => {
    const { answer, lookedFor, round } = start(3);
    await round();
    expect(lookedFor).not.toContain("probe");
    await answer(false);
    const before = lookedFor.length;
    await round(9_999);
    expect(lookedFor).toHaveLength(before);
    await round(1);
    expect(lookedFor.slice(before)).toEqual(["probe"]);
  });

  it("are brought forward once when the insurer has recovered", async () => {
    const schedule = start(0);
    schedule.insurerRecovered("provider-d", null);
    for (let count = 0; count < 3; count++) await schedule.round(1_000);
    expect(schedule.broughtForward()).toBe(1);
  });
});
