import { describe, expect, it } from "vitest";
import { createLogger } from "../../../src/operator/logging/logger.ts";
import { createScheduler } from "../../../src/scheduled-tasks.ts";
import { StoreUnavailableError } from "../../../src/store/faults.ts";
import { systemTime } from "../../../src/time.ts";

describe("the log of scheduled tasks", () => {
  it("the gateway's log reports a failing scheduled task only once, and reports when the task works again", async () => {
    const lines: unknown[] = [];
    const intervals: unknown[] = [];
    let run = async (): Promise<void> => {};
    const every = createScheduler({
      logger: createLogger({
        write(line) {
          const { time: _time, ...fields } = JSON.parse(line);
          lines.push(fields);
        },
      }),
      time: {
        ...systemTime,
        every(milliseconds, work) {
          intervals.push(milliseconds);
          run = work;
          return async () => void intervals.push("stopped");
        },
      },
    });
    let fault: unknown = null;
    const stop = every("leases", 5_000, async () => {
      if (fault !== null) throw fault;
    });
    const faults = [
      null,
      new StoreUnavailableError("timeout", false),
      new TypeError("words"),
      null,
      null,
      new TypeError("words"),
      null,
      "words",
    ];
    for (const next of faults) {
      fault = next;
      await run();
    }
    const fails = { level: 50, task: "leases", msg: "a scheduled task fails" };
    const works = { level: 30, task: "leases", msg: "a scheduled task works again" };
    expect(lines).toEqual([
      { ...fails, failure: "timeout" },
      works,
      { ...fails, failure: "TypeError" },
      works,
      { ...fails, failure: "string" },
    ]);
    await stop();
    expect(intervals).toEqual([5_000, "stopped"]);
  });
});

describe("the timer of scheduled tasks", () => {
  it("a scheduled task runs until the gateway stops the task, and the stop waits for a run in progress", async () => {
    let times = 0;
    const second = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const stop = systemTime.every(1, async () => {
      times += 1;
      if (times < 2) return;
      second.resolve();
      await over.promise;
    });
    await second.promise;
    let isStopped = false;
    const stopped = stop().then(() => {
      isStopped = true;
    });
    await new Promise(setImmediate);
    expect([times, isStopped]).toEqual([2, false]);
    over.resolve();
    await stopped;
    expect(times).toBe(2);
  });
});
