import type { CancellationSignal } from "../transport/transport.ts";
import {
  type CredentialContent,
  type Credentials,
  CredentialsError,
  type CredentialsFault,
  type CredentialsWait,
  type PresentedCredentials,
} from "./credentials.ts";

/** What one fetch brought. */
export interface FetchedContent extends CredentialContent {
  /** How long it counts, in milliseconds; null when the server does not say. */
  readonly lifeMs: number | null;
}

/** How a fetch ended. */
export type FetchResult = "fetched" | Exclude<CredentialsFault, "crowded" | "cancelled">;

/** What fetched credentials are made of. */
export interface FetchedParts {
  /** Asks the token server, or logs in; throws CredentialsError. It has to end by itself. */
  readonly fetch: () => Promise<FetchedContent>;
  /** Milliseconds since some instant, which no correction of the clock changes. */
  readonly now: () => number;
  /** Is called after each fetch. */
  readonly ended: (result: FetchResult) => void;
}

/** So many calls wait at most; more would take the memory of a gateway whose token server is gone. */
const MOST_WAITING = 4_096;

/** Credentials without a stated end are renewed at this age, while the old ones still count. */
const UNSTATED_LIFE_RENEWED_MS = 300_000;
/** A shorter life is raised to this: it would make every call fetch. */
const SHORTEST_LIFE_MS = 1_000;
/** They end for us this long before their end, or a tenth of their life: a request is under way for a while. */
const END_MARGIN_MS = 5_000;

/** The pauses after failed fetches, in milliseconds: the first, doubled by each further one up to the longest. */
const pauses: Readonly<Record<"refused" | "failed", readonly [first: number, longest: number]>> = {
  // Only a person can change it.
  refused: [1_000, 10_000],
  failed: [100, 2_000],
};
/** The same between renewals because of a 401: a new token that is refused, too, is the best there is for a while. */
const RENEWAL_PAUSES_MS: readonly [first: number, longest: number] = [1_000, 10_000];
/** Credentials that worked for so long were good: a refusal after this time is treated as the first. */
const CALM_MS = 60_000;

/** Credentials that have been fetched. */
interface Kept {
  readonly presented: PresentedCredentials;
  readonly fetchedAt: number;
  readonly renewAt: number;
  readonly endsAt: number;
  isRefused: boolean;
}

/** The fetch that failed last. */
interface Failure {
  readonly error: CredentialsError;
  /** How many have failed in a row. */
  readonly count: number;
  /** When the next may be made. */
  readonly until: number;
}

/**
 * Credentials that expire. One fetch at a time serves every call that waits. They are renewed before their end, while the
 * old ones still count, and at once when the insurer refuses them. They are kept in memory only.
 */
export function fetchedCredentials({ ended, fetch, now }: FetchedParts): Credentials {
  let kept: Kept | null = null;
  let failure: Failure | null = null;
  let fetching: Promise<void> | null = null;
  /** How many renewals in a row followed a 401, each soon after the last. */
  let renewals = 0;
  let waiting = 0;

  const usable = (): Kept | null =>
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
      const pause = pauses[result === "refused" ? "refused" : "failed"];
      const until = now() + pauseAfter(count, pause);
      failure = { error: new CredentialsError(result), count, until };
    }
    ended(result);
  }

  /** Begins a fetch after the pause that the last one asks for, unless one is under way. */
  function begin(): Promise<void> {
    fetching ??= pausing(pauseMs())
      .then(fetchOnce)
      .finally(() => {
        fetching = null;
      });
    return fetching;
  }

  function keep({ headers, lifeMs, login }: FetchedContent, askedAt: number): Kept {
    const one: Kept = {
      presented: { headers, login, refused: () => isReplaced(one) },
      fetchedAt: askedAt,
      ...times(lifeMs, askedAt),
      isRefused: false,
    };
    return one;
  }

  function isReplaced(refused: Kept): boolean {
    if (kept !== refused || refused.isRefused) return true;
    const age = now() - refused.fetchedAt;
    if (age > CALM_MS) renewals = 0;
    if (renewals > 0 && age < pauseOf(renewals, RENEWAL_PAUSES_MS)) return false;
    renewals += 1;
    refused.isRefused = true;
    void begin();
    return true;
  }

  async function wait({ signal, timeoutMs }: CredentialsWait): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (usable() === null) {
      const refusal = failure?.error.fault === "refused" ? failure.error : null;
      if (fetching === null && refusal !== null && pauseMs() > 0) throw refusal;
      const end = await within(begin(), deadline - performance.now(), signal);
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
      if (waiting >= MOST_WAITING) throw new CredentialsError("crowded");
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

/** When credentials are renewed and when they end: counted from the question, which is before the server made them. */
function times(lifeMs: number | null, askedAt: number): Pick<Kept, "endsAt" | "renewAt"> {
  if (lifeMs === null)
    return { renewAt: askedAt + UNSTATED_LIFE_RENEWED_MS, endsAt: Number.POSITIVE_INFINITY };
  const life = Math.max(SHORTEST_LIFE_MS, lifeMs);
  const early = Math.max(life / 2, Math.min(life * 0.8, life - 30_000));
  // So that processes which started together do not renew together.
  const jitter = Math.random() * life * 0.1;
  return {
    renewAt: askedAt + early - jitter,
    endsAt: askedAt + life - Math.min(END_MARGIN_MS, life / 10),
  };
}

function pauseOf(count: number, [first, longest]: readonly [number, number]): number {
  return Math.min(longest, first * 2 ** (count - 1));
}

/** With jitter, from half of it on. */
function pauseAfter(count: number, pause: readonly [number, number]): number {
  return pauseOf(count, pause) * (0.5 + Math.random() / 2);
}

async function pausing(milliseconds: number): Promise<void> {
  if (milliseconds <= 0) return;
  await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
}

/** Waits for something that never fails, no longer than it may. */
function within(
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
