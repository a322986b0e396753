import type { Logger } from "../operator/logging/logger.ts";
import type { Moment } from "../store/running-time.ts";
import type { SubmissionStore } from "../store/store.ts";
import type { Time } from "../time.ts";

/** The clock and the running time of a store, as one process reads them. */
export type StoreClock = Awaited<ReturnType<typeof readStoreClock>>;

/** Errors of the clocks, in milliseconds. */
export interface ClockFaults {
  /** Time by which the process's clock is ahead of the store's; negative if it is behind. Always 0 for a file. */
  readonly aheadMs: number;
  /** Time by which the store's clock was before the latest time in the store at the start; 0 if it was not. */
  readonly startedBehindMs: number;
}

/** Interval in which a process adds the passed time, in milliseconds. */
export const COUNT_INTERVAL_MS = 5_000;
/** Maximum of one addition, in milliseconds, so that a stop or a jump of the clock adds hardly any time. */
const MAX_ADDITION_MS = 10_000;
/** Difference from which the clock of a process is wrong, in milliseconds. */
const WRONG_CLOCK_MS = 30_000;
/** Smaller differences are corrections of a clock that is right, in milliseconds. */
const MAX_CORRECTION_MS = 1_000;

/**
 * Reads the clock and the running time of a store.
 * @throws StoreUnavailableError
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
    /** Returns the current moment, in whole milliseconds. */
    now(): Moment {
      const since = Math.round(time.elapsed() - read.elapsed);
      return {
        at: store.shared ? read.at + since : time.now(),
        // A process that was paused continues with its earlier running time.
        running: read.running + Math.min(since, MAX_ADDITION_MS),
      };
    },
    /** Adds the passed time to the store's running time; throws StoreUnavailableError. */
    async count(): Promise<void> {
      read = readAs(await store.countRunningTime(time.now(), MAX_ADDITION_MS));
    },
    /** Returns the faults of the clocks. */
    faults: (): ClockFaults => ({ aheadMs: read.aheadMs, startedBehindMs }),
  };
}

/** Logs that the store's clock was before the latest time in the store when the process started. */
export function reportClockAtStart(clock: StoreClock, logger: Logger): void {
  const { startedBehindMs } = clock.faults();
  if (startedBehindMs > 0)
    logger.error(
      { seconds: Math.round(startedBehindMs / 1_000) },
      "the clock is before the latest time in the store",
    );
}

/** Returns a function that counts the running time, and logs once each that the clock is wrong and right again. */
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
          ? "the clock of this process is ahead of the database's"
          : "the clock of this process is behind the database's",
      );
    if (differed && !differs)
      logger.info("the clock of this process agrees with the database's again");
    differed = differs;
  };
}
