import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createScheduler } from "../../src/scheduled-tasks.ts";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import {
  type SubmissionTasksParts,
  startSubmissionTasks,
} from "../../src/submissions/submission-tasks.ts";
import { holdTime } from "../harness/held-time.ts";
import { writeLog } from "./written-log.ts";

const [INFO, WARN, ERROR] = [30, 40, 50];
/** The time by the store's clock, and the running time, in milliseconds. */
const NOW = { at: 5_000, running: 3_000 };

describe("a scheduled task", () => {
  it("a scheduled task logs one message when the task begins to fail, and one message when the task works again", async () => {
    const time = holdTime();
    const { logger, read } = writeLog();
    let failure: unknown = null;
    const stop = createScheduler({ time, logger })("leases", 1_000, async () => {
      if (failure !== null) throw failure;
    });
    const after = async (next: unknown): Promise<ReturnType<typeof read>> => {
      failure = next;
      await time.tick();
      return read();
    };
    const failed = { level: ERROR, task: "leases", msg: "a scheduled task fails" };
    const worksAgain = { level: INFO, task: "leases", msg: "a scheduled task works again" };
    expect(await after(null)).toEqual([]);
    expect(await after(new StoreUnavailableError("SQLITE_FULL", false))).toEqual([
      { ...failed, failure: "SQLITE_FULL" },
    ]);
    expect(await after(new StoreUnavailableError("SQLITE_FULL", false))).toEqual([]);
    expect(await after(null)).toEqual([worksAgain]);
    expect(await after(null)).toEqual([]);
    expect(await after(new TypeError("a value"))).toEqual([{ ...failed, failure: "TypeError" }]);
    expect(await after(null)).toEqual([worksAgain]);
    expect(await after("a value")).toEqual([{ ...failed, failure: "string" }]);
    await stop();
  });
});

/** Starts the scheduled tasks with a store and a recorder that count their calls. */
function startCounted(store: Partial<SubmissionStore>): {
  readonly intervals: Readonly<Record<string, number>>;
  readonly run: (task: string) => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly log: ReturnType<typeof writeLog>;
  readonly stopping: AbortController;
  readonly stopped: readonly string[];
  readonly retried: () => number;
  readonly counted: () => number;
} {
  const [log, stopping] = [writeLog(), new AbortController()];
  const works = new Map<string, () => Promise<void>>();
  const intervals: Record<string, number> = {};
  const stopped: string[] = [];
  let retried = 0;
  let counted = 0;
  const recorder = {
    async retry() {
      retried += 1;
    },
  };
  const parts = {
    store,
    recorder,
    clock: {
      now: () => NOW,
      async count() {
        counted += 1;
      },
      faults: () => ({ aheadMs: 0, startedBehindMs: 0 }),
    },
    logger: log.logger,
    stopping: stopping.signal,
  } as unknown as SubmissionTasksParts; // the tasks use no other parts
  const stop = startSubmissionTasks(parts, (task, milliseconds, work) => {
    works.set(task, work);
    intervals[task] = milliseconds;
    return async () => {
      await setImmediate();
      stopped.push(task);
    };
  });
  return {
    intervals,
    run: async (task) => works.get(task)?.(),
    stop,
    log,
    stopping,
    stopped,
    retried: () => retried,
    counted: () => counted,
  };
}

describe("the scheduled tasks of submissions", () => {
  it("each scheduled task runs at its documented interval until the gateway stops", async () => {
    const { counted, intervals, retried, run, stop, stopped } = startCounted({});
    expect(intervals).toEqual({
      "running time": 5_000,
      "writing endings": 1_000,
      leases: 1_000,
      forgetting: 60_000,
      store: 1_000,
    });
    await run("running time");
    await run("writing endings");
    expect([counted(), retried()]).toEqual([1, 1]);
    await stop();
    expect(stopped).toEqual(Object.keys(intervals));
  });

  it("a scheduled task ends the leases that have expired in running time, and logs the number of these leases", async () => {
    const asked: unknown[] = [];
    let expired = 0;
    const { log, run } = startCounted({
      async expireLeases(...given) {
        asked.push(given);
        return expired;
      },
    });
    await run("leases");
    expect(asked).toEqual([[NOW.running, NOW]]);
    expect(log.read()).toEqual([]);
    expired = 1;
    await run("leases");
    const lost = {
      level: WARN,
      msg: "submissions have an unknown outcome because their process ended",
    };
    expect(log.read()).toEqual([{ ...lost, submissions: 1 }]);
  });

  it.each([
    [[3], 1],
    [[500, 0], 2],
    [[500, 499], 2],
    [[500, 500, 7], 3],
  ])(
    "the retention task deletes 500 submissions at a time until fewer than 500 are left: %j",
    async (portions, times) => {
      const asked: unknown[] = [];
      const { run } = startCounted({
        async forget(...given) {
          asked.push(given);
          return portions[asked.length - 1] ?? 0;
        },
      });
      await run("forgetting");
      expect(asked).toEqual(Array.from({ length: times }, () => [NOW, 500]));
    },
  );

  it("the retention task deletes at most one portion of expired submissions while the gateway stops", async () => {
    let asked = 0;
    const { run, stopping } = startCounted({
      async forget() {
        asked += 1;
        return asked > 5 ? 0 : 500;
      },
    });
    stopping.abort();
    await run("forgetting");
    expect(asked).toBe(1);
  });
});
