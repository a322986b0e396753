import type { EndpointKind } from "@insurance-gateway/core/runtime";
import { StoreUnavailableError } from "../../store/faults.ts";
import type {
  AccountDay,
  CountedAttempts,
  CountedCalls,
  UsageMethods,
} from "../../store/stored-usage.ts";
import type { Days } from "./days.ts";

/** The account and endpoint of a call. */
export interface UsagePlace {
  readonly account: string;
  /** The provider's path segment. */
  readonly segment: string;
  /** The endpoint's name. */
  readonly endpoint: string;
  readonly kind: EndpointKind;
}

/** The number of an account's calls today, as far as this process knows. */
export interface KnownCalls {
  /** The calls of all processes at the last refresh, plus the calls of this process since then. */
  readonly used: number;
  /** The calls that this process has counted since the last refresh. */
  readonly since: number;
}

/** Counts calls and attempts in memory, and writes the counts to the store in batches. */
export type UsageCounter = ReturnType<typeof createCounter>;

/**
 * Unwritten counts are at most one in 200 of all calls that this process has counted. If the process is killed, these
 * calls and the calls of one write may be lost, but never more than the calls of one second.
 */
const CALLS_PER_UNWRITTEN_CALL = 200;
/** Maximum time for which a store that hangs delays a call, in milliseconds. */
const REFRESH_TIMEOUT_MS = 1_000;

/** Unwritten counts, with one entry for each row of the store. */
interface UnwrittenCounts {
  readonly calls: Map<string, CountedCalls>;
  readonly attempts: Map<string, CountedAttempts>;
}

/** An account with a quota of calls, on one day. */
interface LimitedAccount extends AccountDay {
  /** The calls of all processes at the last refresh; null before the first refresh. */
  total: number | null;
  /** The calls that this process has counted, written or not. */
  own: number;
  /** The calls of this process that `total` includes. */
  written: number;
  /** True if the next write must also read `total` from the store. */
  isAsked: boolean;
}

/** Creates a counter at zero. */
export function createCounter(days: Days, now: () => number) {
  let store: Pick<UsageMethods, "addCounts"> | null = null;
  let batch = noCounts();
  const watched = new Map<string, LimitedAccount>();
  let [counted, unwritten, lost] = [0, 0, 0];
  /** True after a failed write, until a write succeeds. Meanwhile only the timer and refreshes start a write. */
  let isFailing = false;
  let running: Promise<boolean> = Promise.resolve(true);
  let queued: Promise<boolean> | null = null;

  const today = (): string => days.dayOf(now());

  async function write(): Promise<boolean> {
    const asked = [...watched.values()].filter(({ isAsked }) => isAsked);
    const isEmpty = batch.calls.size + batch.attempts.size + asked.length === 0;
    if (store === null || isEmpty) return store !== null;
    const [given, calls] = [batch, unwritten];
    batch = noCounts();
    unwritten = 0;
    const owns = asked.map(({ own }) => own);
    for (const one of asked) one.isAsked = false;
    const counts = { calls: [...given.calls.values()], attempts: [...given.attempts.values()] };
    try {
      const totals = await store.addCounts(counts, asked);
      for (const [index, one] of asked.entries())
        Object.assign(one, { total: totals[index] ?? null, written: owns[index] ?? 0 });
      isFailing = false;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      isFailing = true;
      // Counts that may be in the store are not written again, so that no call counts twice.
      if (error.mayBeWritten) lost += calls;
      else {
        const newer = batch;
        batch = given;
        unwritten += calls;
        for (const one of newer.calls.values()) countCalls(one);
        for (const one of newer.attempts.values()) countAttempts(one);
      }
    }
    return !isFailing;
  }

  /** Starts a write after the current write has ended. Calls of this function during a write share the next write. */
  function next(): Promise<boolean> {
    queued ??= running.then(() => {
      queued = null;
      running = write();
      return running;
    });
    return queued;
  }

  function watch(place: UsagePlace): LimitedAccount {
    const { account, segment } = place;
    const [day, there] = [today(), watched.get(accountKey(place))];
    if (there?.day === day) return there;
    const made = { day, account, segment, total: null, own: 0, written: 0, isAsked: false };
    watched.set(accountKey(place), made);
    return made;
  }

  function countCalls(more: CountedCalls): void {
    const key = `${more.day} ${more.endpoint} ${accountKey(more)}`;
    const { calls = 0, failedCalls = 0 } = batch.calls.get(key) ?? {};
    const sums = { calls: calls + more.calls, failedCalls: failedCalls + more.failedCalls };
    batch.calls.set(key, { ...more, ...sums });
  }

  function countAttempts(more: CountedAttempts): void {
    const key = `${more.day} ${more.segment}`;
    const { attempts = 0, failures = 0, heldBack = 0 } = batch.attempts.get(key) ?? {};
    batch.attempts.set(key, {
      ...more,
      attempts: attempts + more.attempts,
      failures: failures + more.failures,
      heldBack: heldBack + more.heldBack,
    });
  }

  return {
    /** Counts a call. Returns a function that counts the call as answered with a problem. */
    called({ account, endpoint, kind, segment }: UsagePlace): () => void {
      const day = today();
      const of = { day, account, segment, endpoint, kind };
      countCalls({ ...of, calls: 1, failedCalls: 0 });
      counted += 1;
      unwritten += 1;
      const limited = watched.get(accountKey(of));
      if (limited?.day === day) limited.own += 1;
      if (!isFailing && unwritten * CALLS_PER_UNWRITTEN_CALL >= counted) void next();
      return () => countCalls({ ...of, calls: 0, failedCalls: 1 });
    },
    /** Counts a request to an insurer. */
    attempted(segment: string, isFailure: boolean): void {
      const failures = isFailure ? 1 : 0;
      countAttempts({ day: today(), segment, attempts: 1, failures, heldBack: 0 });
    },
    /** Counts a call that the gateway did not send because the insurer had failed repeatedly. */
    heldBack: (segment: string): void =>
      countAttempts({ day: today(), segment, attempts: 0, failures: 0, heldBack: 1 }),
    /** Returns the known number of an account's calls today; null before the first refresh. */
    known(place: UsagePlace): KnownCalls | null {
      const { own, total, written } = watch(place);
      return total === null ? null : { used: total + own - written, since: own - written };
    },
    /**
     * Writes the counts, and reads an account's calls of all processes. Returns false if the store does not answer in
     * time.
     */
    async refresh(place: UsagePlace): Promise<boolean> {
      if (isFailing) return false;
      watch(place).isAsked = true;
      const { promise: late, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => {
        isFailing = true;
        resolve(false);
      }, REFRESH_TIMEOUT_MS);
      try {
        return await Promise.race([next(), late]);
      } finally {
        clearTimeout(timer);
      }
    },
    /** Writes the counts. The promise resolves even if the store is unavailable. */
    async flush(): Promise<void> {
      await next();
    },
    /** Starts to write the counts to a store. */
    writeTo(opened: Pick<UsageMethods, "addCounts">): void {
      store = opened;
    },
    /** Returns the number of counted calls that are not written yet. */
    unwritten: (): number => unwritten,
    /** Returns the number of counted calls that may not be in the store, because the store's answer was lost. */
    lost: (): number => lost,
  };
}

/** Returns the key of an account in maps. The key is unique, because a segment contains no space. */
function accountKey({ account, segment }: Pick<UsagePlace, "account" | "segment">): string {
  return `${segment} ${account}`;
}

function noCounts(): UnwrittenCounts {
  return { calls: new Map(), attempts: new Map() };
}
