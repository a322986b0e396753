import type { AttemptResult } from "@insurance-gateway/core/runtime";
import type { BreakerConfiguration } from "../../configuration/file.ts";
import type { BreakerState } from "../../events.ts";

/** An admitted call, whose result `settle` must report once; or the time for which no call is admitted. */
export type Admission =
  | { readonly admitted: true; settle(result: AttemptResult): void }
  | { readonly admitted: false; readonly retryInMs: number };

/** Refuses calls while the insurer fails, and sometimes admits a trial call to see if the insurer works again. */
export interface Breaker {
  state(): BreakerState;
  /** Returns the time for which calls of this kind are refused, in milliseconds; 0 if a call would be admitted now. */
  closedForMs(actsAtInsurer: boolean): number;
  /** Admits or refuses a call. After failures, a call on which the insurer acts is admitted later than other calls. */
  admit(actsAtInsurer: boolean): Admission;
  /** Admits a probe, by which the gateway tests the insurer, even while other calls are refused. */
  admitProbe(): Admission;
}

/** Retry-After of refused calls while a trial call runs, in milliseconds. */
const RETRY_DURING_TRIAL_MS = 1_000;

/**
 * Creates a breaker that admits calls. It opens after failures in a row, or when the failures reach their share of the
 * window's calls. After each failed trial call, it stays open twice as long, up to the maximum.
 * Libraries for circuit breakers let other calls wait for the trial call, and distinguish only success and failure; but
 * a call whose caller disconnects proves nothing about the insurer.
 */
export function createBreaker(
  /** Returns the current settings. The counts are kept when the settings change. */
  settings: () => BreakerConfiguration,
  now: () => number,
  /** Called when the insurer works again. */
  closed: () => void = () => {},
): Breaker {
  const window = createCallWindow(() => settings().windowMs, now);
  let failuresInRow = 0;
  let openings = 0;
  let openUntil: number | null = null;
  let trying = false;
  // Grows when the breaker opens or closes: a result from before then proves nothing about the insurer now.
  let era = 0;

  const open = (): void => {
    era += 1;
    trying = false;
    const { longestOpenMs, openMs } = settings();
    openUntil = now() + Math.min(openMs * 2 ** openings, longestOpenMs);
    openings += 1;
  };
  const close = (): void => {
    era += 1;
    trying = false;
    openUntil = null;
    openings = 0;
    failuresInRow = 0;
    window.clear();
    closed();
  };
  const isTooMuch = (): boolean => {
    const { calls, failures } = window.counts();
    const most = settings();
    return (
      failuresInRow >= most.failuresInRow ||
      (calls >= most.minCalls && failures * 100 >= calls * most.failurePercent)
    );
  };
  const record = (result: AttemptResult): void => {
    if (result !== "answered" && result !== "failed") return;
    window.add(result === "failed");
    failuresInRow = result === "failed" ? failuresInRow + 1 : 0;
    if (isTooMuch()) open();
  };
  const concludeTry = (result: AttemptResult): void => {
    if (result === "failed") open();
    else if (result === "cancelled") trying = false;
    else close();
  };
  const closedForMs = (actsAtInsurer: boolean): number => {
    if (openUntil === null) return 0;
    // A failed submission may have an unknown outcome, so submissions are refused for longer: another call can try the
    // insurer first.
    const left = openUntil + (actsAtInsurer ? settings().openMs : 0) - now();
    if (left > 0) return left;
    return trying ? RETRY_DURING_TRIAL_MS : 0;
  };

  return {
    closedForMs,
    state() {
      if (openUntil === null) return "closed";
      return now() < openUntil ? "open" : "half_open";
    },
    admit(actsAtInsurer) {
      const retryInMs = closedForMs(actsAtInsurer);
      if (retryInMs > 0) return { admitted: false, retryInMs };
      const admittedIn = era;
      const isTry = openUntil !== null;
      trying = isTry;
      return {
        admitted: true,
        settle(result) {
          if (era === admittedIn) (isTry ? concludeTry : record)(result);
        },
      };
    },
    admitProbe() {
      const admittedIn = era;
      return {
        admitted: true,
        settle(result) {
          if (era !== admittedIn) return;
          // A probe that fails while the breaker is open does not extend the time for which the breaker stays open.
          if (openUntil === null) record(result);
          else if (result !== "failed" && result !== "cancelled") close();
        },
      };
    },
  };
}

/** A breaker that admits every call, for a sandbox: its failures are intended. */
export const neverOpeningBreaker: Breaker = {
  state: () => "closed",
  closedForMs: () => 0,
  admit: () => ({ admitted: true, settle: () => {} }),
  admitProbe: () => ({ admitted: true, settle: () => {} }),
};

/** Counts the calls in a sliding window of time, and the failed calls among them. */
interface CallWindow {
  add(failed: boolean): void;
  counts(): { readonly calls: number; readonly failures: number };
  clear(): void;
}

/** Number of parts of the window. When a new part begins, the oldest part is dropped. */
const WINDOW_STEPS = 10;

/** Creates an empty window. A change of its length empties the window. */
function createCallWindow(windowMs: () => number, now: () => number): CallWindow {
  let partMs = windowMs() / WINDOW_STEPS;
  let parts: { readonly part: number; calls: number; failures: number }[] = [];
  const current = (): number => {
    if (partMs !== windowMs() / WINDOW_STEPS) {
      partMs = windowMs() / WINDOW_STEPS;
      parts = [];
    }
    return Math.floor(now() / partMs);
  };
  const forgetOld = (): void => {
    const oldest = current() - WINDOW_STEPS;
    while (parts[0] !== undefined && parts[0].part <= oldest) parts.shift();
  };
  return {
    add(failed) {
      forgetOld();
      const part = current();
      const last = parts.at(-1);
      if (last?.part === part) {
        last.calls += 1;
        last.failures += failed ? 1 : 0;
      } else parts.push({ part, calls: 1, failures: failed ? 1 : 0 });
    },
    counts() {
      forgetOld();
      const sum = { calls: 0, failures: 0 };
      for (const { calls, failures } of parts) {
        sum.calls += calls;
        sum.failures += failures;
      }
      return sum;
    },
    clear() {
      parts = [];
    },
  };
}
