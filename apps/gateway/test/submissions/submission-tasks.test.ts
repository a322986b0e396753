import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createScheduler } from "../../src/scheduled-tasks.ts";
import { StoreUnavailableError, type SubmissionStore } from "../../src/store/store.ts";
import {
  type SubmissionTasksParts,
  startSubmissionTasks,
} from "../../src/submissions/submission-tasks.ts";
import { holdTime } from "../harness/held-time.ts";
import { writeLog } from "./written-log.ts";

const [INFO, WARN, ERROR] = [30, 40, 50];
/** How long keys are known. */
const KEPT_MS = 90 * 86_400_000;

describe("work that is done again and again", () => {
  it("reports once that it fails, and once that it works again", async () => {
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

/** Scheduled tasks whose store and recorder count what is asked of them. */
function startCounted(
  store: Partial<SubmissionStore>,
  moved = 0,
): {
  readonly intervals: Readonly<Record<string, number>>;
  readonly run: (task: string) => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly time: ReturnType<typeof holdTime>;
  readonly log: ReturnType<typeof writeLog>;
  readonly stopping: AbortController;
  readonly stopped: readonly string[];
  readonly retried: () => number;
} {
  const [time, log, stopping] = [holdTime(), writeLog(), new AbortController()];
  const works = new Map<string, () => Promise<void>>();
  const intervals: Record<string, number> = {};
  const stopped: string[] = [];
  let retried = 0;
  const recorder = {
    async retry() {
      retried += 1;
    },
  };
  const parts = {
    store,
    recorder,
    time,
    clock: { look: () => {}, movedForwardWithin: (ms: number) => (ms === KEPT_MS ? moved : 0) },
    retention: { digestsMs: KEPT_MS },
    logger: log.logger,
    stopping: stopping.signal,
  } as unknown as SubmissionTasksParts; // it uses nothing else of them
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
    time,
    log,
    stopping,
    stopped,
    retried: () => retried,
  };
}

describe("the scheduled tasks of submissions", () => {
  it("write endings and end leases each second, forget each minute, and stop together", async () => {
    const { intervals, retried, run, stop, stopped } = startCounted({});
    expect(intervals).toEqual({ "writing endings": 1_000, leases: 1_000, forgetting: 60_000 });
    await run("writing endings");
    expect(retried()).toBe(1);
    await stop();
    expect(stopped).toEqual(["writing endings", "leases", "forgetting"]);
  });

  it.each([true, false])(
    "end the leases that are over now, and report how many there were; several processes: %s",
    async (shared) => {
      const asked: (readonly [name: string, ...number[]])[] = [];
      let expired = 0;
      const { log, run, time } = startCounted({
        shared,
        async expireLeases(before, at) {
          asked.push(["of this process", before, at]);
          return expired;
        },
        async expireSharedLeases(at) {
          asked.push(["shared", at]);
          return expired;
        },
      });
      await run("leases");
      // Another process, which may have ended, may have had another clock: then the store's counts.
      const now = time.now();
      expect(asked).toEqual([shared ? ["shared", now] : ["of this process", now, now]]);
      expect(log.read()).toEqual([]);
      expired = 1;
      await run("leases");
      const lost = { level: WARN, msg: "submissions lost their process" };
      expect(log.read()).toEqual([{ ...lost, submissions: 1 }]);
    },
  );

  it.each([
    [[3], 1],
    [[500, 0], 2],
    [[500, 499], 2],
    [[500, 500, 7], 3],
  ])("forget 500 at a time as long as there are as many: %j", async (portions, times) => {
    const asked: (readonly [number, number])[] = [];
    const { run, time } = startCounted({
      async forget(at, limit) {
        asked.push([at, limit]);
        return portions[asked.length - 1] ?? 0;
      },
    });
    await run("forgetting");
    expect(asked).toEqual(Array.from({ length: times }, () => [time.now(), 500]));
  });

  it("forget nothing because somebody moved the clock forward", async () => {
    const asked: number[] = [];
    const day = 24 * 3_600_000;
    const { run, time } = startCounted(
      {
        async forget(at) {
          asked.push(at);
          return 0;
        },
      },
      day,
    );
    await run("forgetting");
    expect(asked).toEqual([time.now() - day]);
  });

  it("forget one portion at most while the process stops", async () => {
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
