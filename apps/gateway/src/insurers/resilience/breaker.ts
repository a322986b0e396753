import type { AttemptResult } from "@insurance-gateway/core/runtime";
import type { BreakerConfiguration } from "../../configuration/file.ts";
import type { BreakerState } from "../../events.ts";

/** An admitted call, whose result must be reported once; or how long the insurer is not called. */
export type Admission =
  | { readonly admitted: true; settle(result: AttemptResult): void }
  | { readonly admitted: false; readonly retryInMs: number };

/** Refuses calls while the insurer fails, and sometimes admits a trial call to see whether the insurer works again. */
export interface Breaker {
  state(): BreakerState;
  /** Returns how long no such call is admitted, in milliseconds; 0 if a call would be admitted. */
  closedForMs(actsAtInsurer: boolean): number;
  /** Admits or refuses a call. After failures, a call that acts at the insurer is admitted later than other calls. */
  admit(actsAtInsurer: boolean): Admission;
  /** Admits a probe of the insurer, even before the breaker itself would admit a trial call. */
  admitProbe(): Admission;
}

/** Retry-After of other calls while a trial call runs, in milliseconds. */
const PROBE_UNDER_WAY_MS = 1_000;

/**
 * Creates a closed breaker. It opens after failures in a row, or when the failures reach their share of the window's
 * calls. After each failed trial call, it stays open twice as long, up to the maximum.
 * The libraries for this let other calls wait for the trial call, and know only success and failure: a call whose
 * caller disconnects proves nothing about the insurer.
 */
export function createBreaker(
  /** Returns the settings as set now; counts are kept when they change. */
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
  // Calls from before a change of the breaker prove nothing about the insurer after the change.
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
    // A failed submission has an unknown outcome, so that a call that changes nothing must try the insurer first.
    const left = openUntil + (actsAtInsurer ? settings().openMs : 0) - now();
    if (left > 0) return left;
    return trying ? PROBE_UNDER_WAY_MS : 0;
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
          // A probe that fails early changes nothing: the breaker stays open for the same time.
          if (openUntil === null) record(result);
          else if (result !== "failed" && result !== "cancelled") close();
        },
      };
    },
  };
}

/** The breaker of a sandbox, whose failures are intended. */
export const neverOpeningBreaker: Breaker = {
  state: () => "closed",
  closedForMs: () => 0,
  admit: () => ({ admitted: true, settle: () => {} }),
  admitProbe: () => ({ admitted: true, settle: () => {} }),
};

/** Counts the calls of a sliding window of time. */
interface CallWindow {
  add(failed: boolean): void;
  counts(): { readonly calls: number; readonly failures: number };
  clear(): void;
}

/** The window slides by a tenth of its length at a time. */
const PARTS = 10;

/** Creates an empty window. When its length changes, the window begins again. */
function createCallWindow(windowMs: () => number, now: () => number): CallWindow {
  let partMs = windowMs() / PARTS;
  let parts: { readonly part: number; calls: number; failures: number }[] = [];
  const current = (): number => {
    if (partMs !== windowMs() / PARTS) {
      partMs = windowMs() / PARTS;
      parts = [];
    }
    return Math.floor(now() / partMs);
  };
  const forgetOld = (): void => {
    const oldest = current() - PARTS;
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
