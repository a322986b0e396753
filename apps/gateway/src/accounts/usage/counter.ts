import type { EndpointKind } from "@insurance-gateway/core/contract";
import { StoreUnavailableError } from "../../store/faults.ts";
import type { AccountDay, CountedCalls, Counts, UsageStore } from "../../store/usage.ts";
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

/** What is known of an account's calls today. */
export interface KnownCalls {
  /** The calls of all processes, as far as they had written them at the last refresh, and those of this one since. */
  readonly used: number;
  /** Of these, how many this process has counted since the last refresh. */
  readonly since: number;
}

/** Counts in memory, and writes what it has counted to the store in batches. */
export interface Counter {
  /** Counts a call. Returns what counts it as answered with a problem. */
  called(place: UsagePlace): () => void;
  /** Counts a request to an insurer. */
  attempted(segment: string, isFailure: boolean): void;
  /** Counts a call that was not sent because the insurer had failed again and again. */
  heldBack(segment: string): void;
  /** The known calls of an account today; null before the first refresh. */
  known(place: UsagePlace): KnownCalls | null;
  /** Writes what was counted, and reads what all processes have counted for an account. False when that is not known in time. */
  refresh(place: UsagePlace): Promise<boolean>;
  /** Writes what was counted before; resolves also when it cannot be written. */
  flush(): Promise<void>;
  /** Begins to write to a store. */
  writeTo(store: Pick<UsageStore, "addCounts">): void;
  /** How many calls are counted and not written yet. */
  unwritten(): number;
  /** How many calls were counted and may not be in the store: its answer to their batch was lost. */
  lost(): number;
}

/**
 * What is not written yet is at most one call in so many of all that this process has counted: that is what a kill can
 * lose, beside the calls of one write and never more than those of a second.
 */
const LEAST_WRITTEN = 200;
/** A store that hangs must not keep calls waiting, in milliseconds. */
const REFRESH_WITHIN_MS = 1_000;

/** The calls of one endpoint, as they are counted. */
type Calls = { -readonly [Name in keyof CountedCalls]: CountedCalls[Name] };

/** The attempts of one insurer, as they are counted. */
type Attempts = {
  -readonly [Name in keyof Counts["attempts"][number]]: Counts["attempts"][number][Name];
};

/** What was counted and is not written. */
interface Batch {
  readonly calls: Map<string, Calls>;
  readonly attempts: Map<string, Attempts>;
}

/** An account whose calls are limited. */
interface Watched extends AccountDay {
  /** Null before the first refresh. */
  total: number | null;
  /** Calls since the last refresh that are in the batch being written, and those after it. */
  writing: number;
  since: number;
  /** Whether the next write is to read the total. */
  isAsked: boolean;
}

/** Creates a counter at zero. */
export function createCounter(days: Days, now: () => number): Counter {
  let store: Pick<UsageStore, "addCounts"> | null = null;
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
    if (store === null || (isEmpty(batch) && asked.length === 0)) return store !== null;
    const [written, calls] = [batch, unwritten];
    batch = emptyBatch();
    unwritten = 0;
    for (const one of asked) Object.assign(one, { writing: one.since, since: 0, isAsked: false });
    const counts = { calls: [...written.calls.values()], attempts: [...written.attempts.values()] };
    try {
      const totals = await store.addCounts(counts, asked);
      for (const [index, one] of asked.entries()) {
        one.total = totals[index] ?? null;
        one.writing = 0;
      }
      isFailing = false;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      isFailing = true;
      for (const one of asked) {
        one.since += one.writing;
        one.writing = 0;
      }
      // What may already be written is not written again, so that no call is charged twice.
      if (error.mayBeWritten) lost += calls;
      else {
        batch = merged(written, batch);
        unwritten += calls;
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
    const made = { day, account, segment, total: null, writing: 0, since: 0, isAsked: false };
    watched.set(accountKey(place), made);
    return made;
  }

  function callsOf(day: string, place: UsagePlace): Calls {
    const { account, endpoint, kind, segment } = place;
    const key = `${day} ${endpoint} ${accountKey(place)}`;
    const there = batch.calls.get(key);
    if (there !== undefined) return there;
    const made = { day, account, segment, endpoint, kind, calls: 0, failedCalls: 0 };
    batch.calls.set(key, made);
    return made;
  }

  function attemptsOf(segment: string): Attempts {
    const day = today();
    const key = `${day} ${segment}`;
    const there = batch.attempts.get(key);
    if (there !== undefined) return there;
    const made = { day, segment, attempts: 0, failures: 0, heldBack: 0 };
    batch.attempts.set(key, made);
    return made;
  }

  return {
    called(place) {
      const day = today();
      callsOf(day, place).calls += 1;
      counted += 1;
      unwritten += 1;
      const limited = watched.get(accountKey(place));
      if (limited?.day === day) limited.since += 1;
      if (!isFailing && unwritten * LEAST_WRITTEN >= counted) void next();
      return () => {
        callsOf(day, place).failedCalls += 1;
      };
    },
    attempted(segment, isFailure) {
      const attempts = attemptsOf(segment);
      attempts.attempts += 1;
      if (isFailure) attempts.failures += 1;
    },
    heldBack(segment) {
      attemptsOf(segment).heldBack += 1;
    },
    known(place) {
      const { since, total, writing } = watch(place);
      return total === null ? null : { used: total + writing + since, since: writing + since };
    },
    async refresh(place) {
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
    async flush() {
      await next();
    },
    writeTo(opened) {
      store = opened;
    },
    unwritten: () => unwritten,
    lost: () => lost,
  };
}

/** No segment has a space. */
function accountKey({ account, segment }: UsagePlace): string {
  return `${segment} ${account}`;
}

function emptyBatch(): Batch {
  return { calls: new Map(), attempts: new Map() };
}

function isEmpty({ attempts, calls }: Batch): boolean {
  return attempts.size === 0 && calls.size === 0;
}

/** Adds an older batch to a newer one. */
function merged(older: Batch, newer: Batch): Batch {
  for (const [key, one] of older.calls) {
    const there = newer.calls.get(key);
    newer.calls.set(key, {
      ...one,
      calls: one.calls + (there?.calls ?? 0),
      failedCalls: one.failedCalls + (there?.failedCalls ?? 0),
    });
  }
  for (const [key, one] of older.attempts) {
    const there = newer.attempts.get(key);
    newer.attempts.set(key, {
      ...one,
      attempts: one.attempts + (there?.attempts ?? 0),
      failures: one.failures + (there?.failures ?? 0),
      heldBack: one.heldBack + (there?.heldBack ?? 0),
    });
  }
  return newer;
}
