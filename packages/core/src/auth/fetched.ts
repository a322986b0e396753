import type { CancellationSignal } from "../transport/transport.ts";
import {
  type CredentialContent,
  type Credentials,
  CredentialsError,
  type CredentialsFault,
  type CredentialsWait,
  type PresentedCredentials,
} from "./credentials.ts";
import { type RenewalTimes, renewalTimesOf } from "./lifetime.ts";

/** Fetched credentials with their lifetime. */
export interface FetchedContent extends CredentialContent {
  /** Lifetime of the credentials in milliseconds; null if unknown. */
  readonly lifeMs: number | null;
}

/** Result of a fetch: `fetched`, or the fault of the failed fetch. */
export type FetchResult = "fetched" | Exclude<CredentialsFault, "crowded" | "cancelled">;

/** Functions with which `fetchedCredentials` fetches, measures time and reports. */
export interface FetchedParts {
  /** Fetches credentials from the token server or a login. Must throw CredentialsError and limit its own time. */
  readonly fetch: () => Promise<FetchedContent>;
  /** Returns the time of a monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Called with the result of each fetch. */
  readonly ended: (result: FetchResult) => void;
}

/** Maximum number of calls that wait for credentials: more would fill the memory while a token server fails. */
const MAX_WAITING_CALLS = 4_096;

/** First and longest pause after a failed fetch, in milliseconds. The pause doubles with each consecutive failure. */
export const fetchPausesMs: Readonly<
  Record<"refused" | "failed", readonly [first: number, longest: number]>
> = {
  // Only a person can correct the cause of a refusal.
  refused: [1_000, 10_000],
  failed: [100, 2_000],
};
/**
 * Pauses between renewals after the insurer's 401, in milliseconds. If the insurer refuses renewed credentials too, a
 * further renewal at once would not help.
 */
const RENEWAL_PAUSES_MS: readonly [first: number, longest: number] = [1_000, 10_000];
/** If the insurer refuses credentials older than this age, in milliseconds, the count of renewals restarts at 0. */
const RENEWAL_COUNT_RESET_MS = 60_000;

/** Current credentials with their times. */
interface CurrentCredentials extends RenewalTimes {
  readonly presented: PresentedCredentials;
  readonly fetchedAt: number;
  isRefused: boolean;
}

/** The last failed fetch. */
interface FailedFetch {
  readonly error: CredentialsError;
  /** Number of consecutive failures. */
  readonly count: number;
  /** Time from which the next fetch is allowed. */
  readonly until: number;
}

/**
 * Creates a source of credentials that expire. One fetch at a time serves all waiting calls. The credentials are
 * renewed before they expire, while the old credentials are still used, and at once if the insurer refuses them. They
 * are stored only in memory.
 */
export function fetchedCredentials({ ended, fetch, now }: FetchedParts): Credentials {
  let kept: CurrentCredentials | null = null;
  let failure: FailedFetch | null = null;
  let fetching: Promise<void> | null = null;
  /**
   * Number of consecutive renewals after a 401; 0 after a refusal of credentials older than `RENEWAL_COUNT_RESET_MS`.
   */
  let renewals = 0;
  let waiting = 0;

  const usable = (): CurrentCredentials | null =>
    kept !== null && !kept.isRefused && now() < kept.endsAt ? kept : null;
  const pauseMs = (): number => Math.max(0, (failure?.until ?? 0) - now());

  async function fetchOnce(): Promise<void> {
    const askedAt = now();
    let result: FetchResult = "fetched";
    try {
      kept = keep(await fetch(), askedAt);
      failure = null;
    } catch (error) {
      const fault = CredentialsError.isInstance(error) ? error.fault : "unusable";
      result = fault === "crowded" || fault === "cancelled" ? "unreachable" : fault;
      const count = (failure?.count ?? 0) + 1;
      const pause = fetchPausesMs[result === "refused" ? "refused" : "failed"];
      const until = now() + randomPauseMs(count, pause);
      failure = { error: new CredentialsError(result), count, until };
    }
    ended(result);
  }

  /** Starts a fetch after the pause that follows a failed fetch, unless a fetch is already running. */
  function begin(): Promise<void> {
    fetching ??= waitFor(pauseMs())
      .then(fetchOnce)
      .finally(() => {
        fetching = null;
      });
    return fetching;
  }

  function keep({ headers, lifeMs, login }: FetchedContent, askedAt: number): CurrentCredentials {
    const one: CurrentCredentials = {
      presented: { headers, login, refused: () => reportRefusal(one) },
      fetchedAt: askedAt,
      ...renewalTimesOf(lifeMs, askedAt),
      isRefused: false,
    };
    return one;
  }

  function reportRefusal(refused: CurrentCredentials): boolean {
    if (kept !== refused || refused.isRefused) return true;
    const age = now() - refused.fetchedAt;
    if (age > RENEWAL_COUNT_RESET_MS) renewals = 0;
    if (renewals > 0 && age < longestPauseMs(renewals, RENEWAL_PAUSES_MS)) return false;
    renewals += 1;
    refused.isRefused = true;
    void begin();
    return true;
  }

  async function wait({ signal, timeoutMs }: CredentialsWait): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (usable() === null) {
      if (fetching === null && failure?.error.fault === "refused" && pauseMs() > 0)
        throw failure.error;
      const end = await waitAtMost(begin(), deadline - performance.now(), signal);
      if (usable() !== null) return;
      if (end === "cancelled") throw new CredentialsError("cancelled");
      if (end === "timeout") throw failure?.error ?? new CredentialsError("unreachable");
      if (failure?.error.fault === "refused") throw failure.error;
    }
  }

  return {
    current() {
      const one = usable();
      if (one !== null && now() >= one.renewAt && pauseMs() === 0) void begin();
      return one?.presented ?? null;
    },
    async ready(call) {
      if (usable() !== null) return;
      if (waiting >= MAX_WAITING_CALLS) throw new CredentialsError("crowded");
      waiting += 1;
      try {
        await wait(call);
      } finally {
        waiting -= 1;
      }
    },
    waiting: () => waiting,
    ageMs() {
      const one = usable();
      return one === null ? null : now() - one.fetchedAt;
    },
  };
}

/** Returns the longest pause after a number of consecutive failures, in milliseconds. */
function longestPauseMs(count: number, [first, longest]: readonly [number, number]): number {
  return Math.min(longest, first * 2 ** (count - 1));
}

/** Returns a random time between half of a pause and the whole pause, for a number of consecutive failures. */
export function randomPauseMs(count: number, pause: readonly [number, number]): number {
  return longestPauseMs(count, pause) * (0.5 + Math.random() / 2);
}

/** Waits for a number of milliseconds. Returns at once if the number is 0 or negative. */
export async function waitFor(milliseconds: number): Promise<void> {
  if (milliseconds <= 0) return;
  await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
}

/** Waits until a promise that never rejects is settled, the time limit passes or the signal aborts. */
function waitAtMost(
  work: Promise<void>,
  milliseconds: number,
  signal: CancellationSignal | null,
): Promise<"done" | "timeout" | "cancelled"> {
  return new Promise((resolve) => {
    const end = (result: "done" | "timeout" | "cancelled"): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      resolve(result);
    };
    const cancel = (): void => end("cancelled");
    const timer = setTimeout(() => end("timeout"), Math.max(0, milliseconds));
    signal?.addEventListener("abort", cancel);
    if (signal?.aborted === true) cancel();
    void work.then(() => end("done"));
  });
}
