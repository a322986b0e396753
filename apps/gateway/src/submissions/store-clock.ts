import type { Logger } from "../operator/logging/logger.ts";
import type { Moment } from "../store/running-time.ts";
import type { SubmissionStore } from "../store/store.ts";
import type { Time } from "../time.ts";

/** The clock and the running time of a store, as a process reads them. */
export type StoreClock = Awaited<ReturnType<typeof readStoreClock>>;

/** Errors of a process's clock and of the store's clock, in milliseconds. */
export interface ClockFaults {
  /** Time by which the process's clock is ahead of the store's clock; negative if behind. 0 for an SQLite file. */
  readonly aheadMs: number;
  /** Time by which the store's clock was behind the latest stored time at the process's start; 0 if not behind. */
  readonly startedBehindMs: number;
}

/** Interval in which a process adds to the running time, in milliseconds. */
export const COUNT_INTERVAL_MS = 5_000;
/** Maximum addition to the running time, in milliseconds, because a stop or a clock jump must add hardly any time. */
const MAX_ADDITION_MS = 10_000;
/** Difference between a process's and the store's clock from which the process's clock is wrong, in milliseconds. */
const WRONG_CLOCK_MS = 30_000;
/** Limit in milliseconds. A store's clock that was behind by less than this limit at the start is not reported. */
const MAX_CORRECTION_MS = 1_000;

/**
 * Reads the clock and the running time of a store.
 * @throws StoreUnavailableError if the store cannot be read
 */
export async function readStoreClock(
  store: Pick<SubmissionStore, "countRunningTime" | "readRunningTime" | "shared">,
  time: Pick<Time, "elapsed" | "now">,
) {
  const { at, countedAt, running } = await store.readRunningTime(time.now());
  const startedBehindMs = countedAt - at < MAX_CORRECTION_MS ? 0 : countedAt - at;
  const readAs = (moment: Moment): typeof read => ({
    ...moment,
    elapsed: time.elapsed(),
    aheadMs: store.shared ? time.now() - moment.at : 0,
  });
  let read: Moment & { readonly elapsed: number; readonly aheadMs: number } = readAs({
    at,
    running,
  });
  return {
    /** Returns the current time and running time, in whole milliseconds. */
    now(): Moment {
      const since = Math.round(time.elapsed() - read.elapsed);
      return {
        at: store.shared ? read.at + since : time.now(),
        // After a pause of the process, the running time continues from the value before the pause.
        running: read.running + Math.min(since, MAX_ADDITION_MS),
      };
    },
    /** Adds the time since the last call to the store's running time; throws StoreUnavailableError. */
    async count(): Promise<void> {
      read = readAs(await store.countRunningTime(time.now(), MAX_ADDITION_MS));
    },
    /** Returns the errors of the clocks. */
    faults: (): ClockFaults => ({ aheadMs: read.aheadMs, startedBehindMs }),
  };
}

/** Logs a store's clock that was behind the latest stored time when the process started. */
export function reportClockAtStart(clock: StoreClock, logger: Logger): void {
  const { startedBehindMs } = clock.faults();
  if (startedBehindMs > 0)
    logger.error(
      { seconds: Math.round(startedBehindMs / 1_000) },
      "the clock is before the latest time in the store",
    );
}

/** Returns the task that counts the running time, and logs when the clock becomes wrong or right again. */
export function createRunningTimeTask(clock: StoreClock, logger: Logger): () => Promise<void> {
  let differed = false;
  return async () => {
    await clock.count();
    const { aheadMs } = clock.faults();
    const differs = Math.abs(aheadMs) >= WRONG_CLOCK_MS;
    if (differs && !differed)
      logger.error(
        { seconds: Math.round(Math.abs(aheadMs) / 1_000) },
        aheadMs > 0
          ? "the clock of this process is ahead of the database's clock"
          : "the clock of this process is behind the database's clock",
      );
    if (differed && !differs)
      logger.info("the clock of this process agrees with the database's clock again");
    differed = differs;
  };
}
