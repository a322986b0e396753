import type { RetriesConfiguration } from "../../configuration/file.ts";

/** Decides whether and when a failed call is repeated. */
export type Retries = ReturnType<typeof createRetries>;

/**
 * Minimum time for an attempt, in milliseconds. With less time, an attempt could not succeed and would only load the
 * insurer.
 */
const MIN_ATTEMPT_MS = 100;

/** Maximum number of saved retries. A gateway starts with this number, so that it can retry even after few calls. */
const MAX_SAVED_RETRIES = 10;

/**
 * Creates the retries of one insurer. The waits before retries are random (full jitter), even after the insurer's
 * Retry-After, and a budget prevents retries from multiplying the load on a failing insurer. The insurer's Retry-After
 * is respected up to the longest wait; after a longer Retry-After, the gateway does not retry.
 * @param settings - returns the configured settings; the saved retries are kept when the settings change
 * @param random - returns a number from 0 to below 1
 */
export function createRetries(
  settings: () => RetriesConfiguration,
  random: () => number = Math.random,
) {
  let saved = MAX_SAVED_RETRIES;
  return {
    /** Records the first attempt of a call, which adds a share of a retry to the budget. */
    called(): void {
      saved = Math.min(MAX_SAVED_RETRIES, saved + settings().budgetPercent / 100);
    },
    /**
     * Returns the wait before the next attempt, in milliseconds; null if no attempt follows.
     * @param attempt - the number of the failed attempt, from 1
     * @param retryAfterSeconds - the insurer's Retry-After; null without one
     * @param leftMs - the remaining time of the call
     */
    next(attempt: number, retryAfterSeconds: number | null, leftMs: number): number | null {
      const { attempts, budgetPercent, firstWaitMs, longestWaitMs } = settings();
      if (budgetPercent === 0) return null;
      const asked = (retryAfterSeconds ?? 0) * 1_000;
      if (attempt >= attempts || saved < 1 || asked > longestWaitMs) return null;
      const jitter = random() * Math.min(longestWaitMs, firstWaitMs * 2 ** (attempt - 1));
      const wait = asked + jitter;
      if (wait + MIN_ATTEMPT_MS > leftMs) return null;
      saved -= 1;
      return wait;
    },
  };
}
