import type { RetriesConfiguration } from "../../configuration/file.ts";

/** Decides whether a call is made again, and when. */
export type Retries = ReturnType<typeof createRetries>;

/** An attempt with less time than this cannot succeed, but would still load the insurer. */
const LEAST_LEFT_MS = 100;

/** The most attempts in the budget, and their number at the start, so that a gateway with little traffic retries, too. */
const MOST_SAVED = 10;

/**
 * Makes the retries of one insurer: full jitter between attempts, also after the insurer's own Retry-After, and a budget that
 * prevents retries from multiplying the load on a failing insurer. A Retry-After is respected up to the longest wait; a
 * longer one ends the attempts.
 * @param settings - the current ones; the budget is kept when they change
 * @param random - from 0 to below 1
 */
export function createRetries(
  settings: () => RetriesConfiguration,
  random: () => number = Math.random,
) {
  let saved = MOST_SAVED;
  return {
    /** Called for every first attempt: each adds a share of a retry to the budget. */
    called(): void {
      saved = Math.min(MOST_SAVED, saved + settings().budgetPercent / 100);
    },
    /**
     * How long to wait before the next attempt, in milliseconds; null when there is none.
     * @param attempt - which attempt has failed, from 1
     * @param retryAfterSeconds - how long the insurer asked to be left alone; null when it did not
     * @param leftMs - the time that is left for everything
     */
    next(attempt: number, retryAfterSeconds: number | null, leftMs: number): number | null {
      const { attempts, budgetPercent, firstWaitMs, longestWaitMs } = settings();
      if (budgetPercent === 0) return null;
      const asked = (retryAfterSeconds ?? 0) * 1_000;
      if (attempt >= attempts || saved < 1 || asked > longestWaitMs) return null;
      const jitter = random() * Math.min(longestWaitMs, firstWaitMs * 2 ** (attempt - 1));
      const wait = asked + jitter;
      if (wait + LEAST_LEFT_MS > leftMs) return null;
      saved -= 1;
      return wait;
    },
  };
}
