import type { Moment } from "../store/running-time.ts";
import type { SubmissionStore } from "../store/store.ts";
import type { Time } from "../time.ts";

/** The clock and the running time of a store, as one process knows them. */
export interface StoreClock {
  /** The moment now, in whole milliseconds. */
  now(): Moment;
  /** Adds the time that has passed to the store's running time; throws StoreUnavailableError. */
  count(): Promise<void>;
}

/** How often a process adds the time that has passed, in milliseconds. */
export const COUNT_EVERY_MS = 5_000;
/** The most that one addition counts, in milliseconds, so that a stop or a jump of the clock counts as hardly any time. */
const COUNTED_AT_MOST_MS = 10_000;

/**
 * Reads the clock and the running time of a store.
 * @throws StoreUnavailableError
 */
export async function readStoreClock(
  store: Pick<SubmissionStore, "countRunningTime" | "readRunningTime" | "shared">,
  time: Pick<Time, "elapsed" | "now">,
): Promise<StoreClock> {
  let read = { ...(await store.readRunningTime(time.now())), elapsed: time.elapsed() };
  return {
    now() {
      const since = Math.round(time.elapsed() - read.elapsed);
      return {
        at: store.shared ? read.at + since : time.now(),
        // A process that was stopped goes on with the running time that it knew before.
        running: read.running + Math.min(since, COUNTED_AT_MOST_MS),
      };
    },
    async count() {
      const { at, running } = await store.countRunningTime(time.now(), COUNTED_AT_MOST_MS);
      read = { ...read, at, running, elapsed: time.elapsed() };
    },
  };
}
