import type { EndpointKind } from "@insurance-gateway/core/runtime";
import { StoreUnavailableError } from "../../store/faults.ts";
import type {
  AccountDay,
  CountedAttempts,
  CountedCalls,
  UsageMethods,
} from "../../store/stored-usage.ts";
import type { Days } from "./days.ts";

/** Which account calls what. */
export interface UsagePlace {
  readonly account: string;
  /** The provider's path segment. */
  readonly segment: string;
  /** The endpoint's name. */
  readonly endpoint: string;
  readonly kind: EndpointKind;
}

/** The known calls of an account today. */
export interface KnownCalls {
  /** The calls of all processes, as far as they had written them at the last refresh, and those of this one since. */
  readonly used: number;
  /** The number of these that this process has counted since the last refresh. */
  readonly since: number;
}

/** Counts in memory, and writes what it has counted to the store in batches. */
export type Counter = ReturnType<typeof createCounter>;

/**
 * Unwritten counts are at most one call in 200 of all that this process has counted: a kill can lose those, and the calls
 * of one write, and never more than the calls of a second.
 */
const LEAST_WRITTEN = 200;
/** A store that hangs must not keep calls waiting, in milliseconds. */
const REFRESH_WITHIN_MS = 1_000;

/** Counts that are not written, by a key of its own for each row. */
interface Batch {
  readonly calls: Map<string, CountedCalls>;
  readonly attempts: Map<string, CountedAttempts>;
}

/** An account whose calls are limited. */
interface Watched extends AccountDay {
  /** The sum of all processes at the last refresh; null before the first. */
  total: number | null;
  /** The calls that this process has counted, and how many of them the total has. */
  own: number;
  written: number;
  /** Whether the next write is to read the total. */
  isAsked: boolean;
}

/** Creates a counter at zero. */
export function createCounter(days: Days, now: () => number) {
  let store: Pick<UsageMethods, "addCounts"> | null = null;
  let batch = emptyBatch();
  const watched = new Map<string, Watched>();
  let [counted, unwritten, lost] = [0, 0, 0];
  /** After a failure, only the timer and refreshes write. */
  let isFailing = false;
  let running: Promise<boolean> = Promise.resolve(true);
  let queued: Promise<boolean> | null = null;

  const today = (): string => days.dayOf(now());

  async function write(): Promise<boolean> {
    const asked = [...watched.values()].filter(({ isAsked }) => isAsked);
    const isEmpty = batch.calls.size + batch.attempts.size + asked.length === 0;
    if (store === null || isEmpty) return store !== null;
    const [given, calls] = [batch, unwritten];
    batch = emptyBatch();
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
      // Counts that may be written already are not written again, so that no call is charged twice.
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

  /** One write at a time; what is asked for during one shares the next. */
  function next(): Promise<boolean> {
    queued ??= running.then(() => {
      queued = null;
      running = write();
      return running;
    });
    return queued;
  }

  function watch(place: UsagePlace): Watched {
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
    /** Counts a call. Returns what counts it as answered with a problem. */
    called({ account, endpoint, kind, segment }: UsagePlace): () => void {
      const day = today();
      const of = { day, account, segment, endpoint, kind };
      countCalls({ ...of, calls: 1, failedCalls: 0 });
      counted += 1;
      unwritten += 1;
      const limited = watched.get(accountKey(of));
      if (limited?.day === day) limited.own += 1;
      if (!isFailing && unwritten * LEAST_WRITTEN >= counted) void next();
      return () => countCalls({ ...of, calls: 0, failedCalls: 1 });
    },
    /** Counts a request to an insurer. */
    attempted(segment: string, isFailure: boolean): void {
      const failures = isFailure ? 1 : 0;
      countAttempts({ day: today(), segment, attempts: 1, failures, heldBack: 0 });
    },
    /** Counts a call that was not sent because the insurer had failed again and again. */
    heldBack: (segment: string): void =>
      countAttempts({ day: today(), segment, attempts: 0, failures: 0, heldBack: 1 }),
    /** The known calls of an account today; null before the first refresh. */
    known(place: UsagePlace): KnownCalls | null {
      const { own, total, written } = watch(place);
      return total === null ? null : { used: total + own - written, since: own - written };
    },
    /** Writes what was counted, and reads what all processes have counted for an account. False when that is not known in time. */
    async refresh(place: UsagePlace): Promise<boolean> {
      if (isFailing) return false;
      watch(place).isAsked = true;
      const { promise: late, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => {
        isFailing = true;
        resolve(false);
      }, REFRESH_WITHIN_MS);
      try {
        return await Promise.race([next(), late]);
      } finally {
        clearTimeout(timer);
      }
    },
    /** Writes what was counted before; resolves also when it cannot be written. */
    async flush(): Promise<void> {
      await next();
    },
    /** Begins to write to a store. */
    writeTo(opened: Pick<UsageMethods, "addCounts">): void {
      store = opened;
    },
    /** How many calls are counted and not written yet. */
    unwritten: (): number => unwritten,
    /** How many calls were counted and may not be in the store: its answer to their batch was lost. */
    lost: (): number => lost,
  };
}

/** No segment has a space. */
function accountKey({ account, segment }: Pick<UsagePlace, "account" | "segment">): string {
  return `${segment} ${account}`;
}

function emptyBatch(): Batch {
  return { calls: new Map(), attempts: new Map() };
}
