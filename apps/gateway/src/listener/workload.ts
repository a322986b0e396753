/** Counts the requests that the gateway works on, and limits how many more are begun. */
export interface Workload {
  /** Counts a request as in progress. Returns how to end that; only the first call of it does something. */
  begin(): () => void;
  /** How many requests are in progress. */
  inProgress(): number;
  /**
   * Begins a turn. Returns how many requests may be in progress: with that many, the turn begins no more.
   * @param waiting - how many requests wait to be begun
   * @param now - the time in milliseconds, from any moment
   */
  beginTurn(waiting: number, now: number): number;
}

/** The limit never falls below this. */
const LOWEST_LIMIT = 128;
/** A turn begins this many or more, or all that wait: requests that are begun together take less time. */
const FEWEST_BEGUN = 32;
/** After turns that began fewer for this long, the next one begins as many as there is room for. */
const MOST_SKIPPED_MS = 2;
/** The limit rises to this many more than are in progress. */
const RAISED_BY = 5;
/** The limit falls by this part of what it is above the lowest, while there is room for twice `FEWEST_BEGUN`. */
const FALLS_BY = 1 / 16;

/**
 * Creates the workload of one process.
 *
 * Its limit is how many requests in progress keep the process busy. It rises with each turn before which none has ended: the
 * process has time then, because it waits for insurers. Callers do not wait because the insurers of others are slow.
 *
 * Without a limit everything that has arrived is in progress, and V8 copies 13 kB of each request. With an insurer that answers at
 * once and 900 connections that always have a request, the gateway answered 1.32 times as many quotes with the limit and with more
 * memory for new objects, and 1.08 times as many with the limit alone (`docs/performance.md`, "Many requests in flight").
 */
export function createWorkload(): Workload {
  let inProgress = 0;
  let limit = LOWEST_LIMIT;
  let noneEnded = true;
  let skippedSince: number | null = null;

  /** Whether this turn waits until more can be begun together. */
  function isSkipped(now: number): boolean {
    skippedSince ??= now;
    return now - skippedSince < MOST_SKIPPED_MS;
  }

  return {
    begin() {
      let isCounted = true;
      inProgress += 1;
      return () => {
        if (!isCounted) return;
        isCounted = false;
        inProgress -= 1;
        noneEnded = false;
      };
    },
    inProgress: () => inProgress,
    beginTurn(waiting, now) {
      const mayRise = noneEnded;
      noneEnded = true;
      const room = limit - inProgress;
      const isEnough = room >= Math.min(waiting, FEWEST_BEGUN);
      if (!isEnough && mayRise) limit = Math.max(limit, inProgress + RAISED_BY);
      else if (!isEnough && isSkipped(now)) return inProgress;
      skippedSince = null;
      const most = limit;
      if (room >= 2 * FEWEST_BEGUN) limit -= Math.ceil((limit - LOWEST_LIMIT) * FALLS_BY);
      return most;
    },
  };
}
