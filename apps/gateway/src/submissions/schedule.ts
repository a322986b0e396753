import { randomBytes } from "node:crypto";
import type { Scheduler } from "../scheduled-tasks.ts";
import type { SubmissionRecord } from "../store/record.ts";
import type { Time } from "../time.ts";
import type { ReconcileParts } from "./query-result.ts";
import type { Reconcile } from "./reconcile.ts";

/** The schedule of reconciliation queries. */
export type Schedule = ReturnType<typeof startSchedule>;

/** The parts of the gateway that the schedule needs. */
export interface ScheduleParts extends Pick<ReconcileParts, "clock" | "store" | "stopping"> {
  readonly time: Pick<Time, "elapsed" | "every">;
  readonly reconcile: Reconcile;
  /** Segments of the providers that have submission endpoints. */
  readonly segments: readonly string[];
  /** Returns the maximum of queries per second to one insurer, as currently configured. */
  readonly queriesPerSecond: () => number;
  /** Reports whether the insurer of a segment has maintenance now, during which the gateway sends no queries. */
  readonly isMaintained: (segment: string) => boolean;
  readonly every: Scheduler;
}

/** Interval in which a process reads due queries from the store, in milliseconds. */
const DUE_CHECK_INTERVAL_MS = 500;
/** Interval in which a process renews the right to reconcile a segment, in milliseconds. */
const LEAD_RENEWAL_INTERVAL_MS = 1_500;
/**
 * Time for which a process reconciles a segment after its last renewal, in milliseconds. The store reserves the segment
 * for a longer time.
 */
const LEAD_DURATION_MS = 4_000;
/** Interval in which the schedule tries queries again that wait for the rate limit, in milliseconds. */
const RATE_LIMIT_RETRY_MS = 50;
/** Pause of all queries after a fault of the store, in milliseconds. */
const STORE_PAUSE_MS = 5_000;
/** Maximum of simultaneous queries to one insurer. */
const MAX_SIMULTANEOUS_QUERIES = 8;
/** Interval of the probes of an insurer that answers no query, in milliseconds. */
const PROBE_INTERVAL_MS = 10_000;
/** Number of successive unanswered queries after which the gateway sends an insurer only probes. */
const UNANSWERED_BEFORE_PROBES = 3;
/** Time after a submission's query in which a caller's request causes no new query, in milliseconds. */
const MIN_QUERY_AGE_MS = 10_000;

/**
 * Starts reconciliation. For each segment, one of the processes that share the store queries the insurer: one query at
 * a time for each submission, the oldest submission first, and within the rate limit.
 */
export function startSchedule(parts: ScheduleParts) {
  const { clock, every, segments, store, time } = parts;
  const owner = randomBytes(16);
  const queues = new Map(segments.map((segment) => [segment, createQueryQueue(parts, segment)]));
  const stops = [...queues].flatMap(([segment, queue]) => [
    every(`reconciliation of ${segment}`, LEAD_RENEWAL_INTERVAL_MS, async () => {
      const askedAt = time.elapsed();
      const leads = !store.shared || (await store.lead(segment, owner));
      if (leads) queue.lead(store.shared ? askedAt + LEAD_DURATION_MS : Number.POSITIVE_INFINITY);
    }),
    every(`reconciliation of ${segment}`, DUE_CHECK_INTERVAL_MS, () => queue.run()),
  ]);
  const release = (): void => {
    for (const queue of queues.values()) queue.release();
  };
  // One timer serves all queues, because a timer for each of many insurers would wake the process hundreds of times a
  // second.
  const stopReleasing = time.every(RATE_LIMIT_RETRY_MS, async () => release());
  return {
    /**
     * Makes all queries of a segment, or of one of its accounts, due, because the insurer answers again or accepts the
     * account's credentials again.
     * @param account - null for all accounts
     */
    insurerRecovered: (segment: string, account: string | null): void =>
      queues.get(segment)?.recovered(account),
    /** Makes a submission's query due because a caller reads its state, unless the last query was sent just now. */
    requestQuery(id: string): void {
      const { running } = clock.now();
      // A failed write is ignored, because the caller gets the state that was read.
      store.bringForwardOne(id, running, running - MIN_QUERY_AGE_MS).catch(() => undefined);
    },
    /** Stops, and waits for the queries in progress. */
    async stop(): Promise<void> {
      release();
      await Promise.all([stopReleasing, ...stops].map((stop) => stop()));
    },
  };
}

/** A submission whose query is due. The query may be a probe of an insurer that does not answer. */
interface DueQuery {
  readonly record: SubmissionRecord;
  readonly probe: boolean;
}

function createQueryQueue(
  { clock, isMaintained, queriesPerSecond, reconcile, stopping, store, time }: ScheduleParts,
  segment: string,
) {
  let leadsUntil = Number.NEGATIVE_INFINITY;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let isRecovered = false;
  /** Times of the requests in the last second, by `Time.elapsed()`, for the rate limit. */
  let requestTimes: readonly number[] = [];
  let waiting: (() => void)[] = [];
  /** Time of the next probe, by `Time.elapsed()`; null while the insurer answers. */
  let nextProbeAt: number | null = null;
  let unansweredInRow = 0;
  /** Accounts with refused credentials. The value is when one query may try the credentials, by `Time.elapsed()`. */
  const refused = new Map<string, number>();
  /** Accounts whose credentials the insurer accepts again. */
  const accepted = new Set<string>();
  const queriedIds = new Set<string>();

  const waitForTurn = async (): Promise<void> => {
    for (;;) {
      const now = time.elapsed();
      requestTimes = requestTimes.filter((at) => now - at < 1_000);
      if (requestTimes.length < queriesPerSecond() || stopping.aborted) break;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    requestTimes = [...requestTimes, time.elapsed()];
  };

  async function resume(): Promise<void> {
    for (const account of accepted) {
      await store.bringForward(segment, clock.now().running, account);
      accepted.delete(account);
      refused.delete(account);
    }
    if (!isRecovered) return;
    await store.bringForward(segment, clock.now().running, null);
    isRecovered = false;
    nextProbeAt = null;
    unansweredInRow = 0;
  }

  async function next(): Promise<DueQuery | null> {
    const elapsed = time.elapsed();
    if (elapsed >= leadsUntil || elapsed < pausedUntil || stopping.aborted) return null;
    if (isMaintained(segment)) return null;
    await resume();
    const { running } = clock.now();
    const probe = nextProbeAt !== null;
    if (nextProbeAt !== null) {
      if (elapsed < nextProbeAt) return null;
      nextProbeAt = elapsed + PROBE_INTERVAL_MS;
    }
    const excludedAccounts = [...refused].flatMap(([account, tryAt]) =>
      elapsed < tryAt ? [account] : [],
    );
    // At most seven other queries are in progress, so at least one of eight due submissions has no query in progress.
    const due = await store.due(
      segment,
      probe ? "probe" : running,
      MAX_SIMULTANEOUS_QUERIES,
      excludedAccounts,
    );
    const record = due.find(({ id }) => !queriedIds.has(id));
    if (record === undefined) return null;
    if (refused.has(record.account)) refused.set(record.account, elapsed + PROBE_INTERVAL_MS);
    queriedIds.add(record.id);
    return { record, probe };
  }

  async function work(first: DueQuery | null): Promise<void> {
    for (let found = first; found !== null; found = await next()) {
      const { probe, record } = found;
      try {
        const result = await reconcile(record, { waitForTurn, probe });
        if (result === "no_credentials") {
          refused.set(record.account, time.elapsed() + PROBE_INTERVAL_MS);
          continue;
        }
        if (result === "answered" && refused.has(record.account)) accepted.add(record.account);
        unansweredInRow = result === "answered" ? 0 : unansweredInRow + 1;
        if (unansweredInRow >= UNANSWERED_BEFORE_PROBES)
          nextProbeAt ??= time.elapsed() + PROBE_INTERVAL_MS;
        else if (nextProbeAt !== null) isRecovered = true;
      } catch (error) {
        pausedUntil = time.elapsed() + STORE_PAUSE_MS;
        throw error;
      } finally {
        queriedIds.delete(record.id);
      }
    }
  }

  return {
    /** Makes this process send the segment's queries until a time, by `Time.elapsed()`. */
    lead(until: number): void {
      leadsUntil = until;
    },
    /** Sends the queries that waited for the rate limit, up to the rate limit. */
    release(): void {
      const released = waiting;
      waiting = [];
      for (const release of released) release();
    },
    /** Records that the insurer answers again, or that the insurer accepts an account's credentials again. */
    recovered(account: string | null): void {
      if (account === null) isRecovered = true;
      else accepted.add(account);
    },
    /** Sends all due queries. */
    async run(): Promise<void> {
      const first = await next();
      if (first === null) return;
      const others = Array.from({ length: MAX_SIMULTANEOUS_QUERIES - 1 }, async () =>
        work(await next()),
      );
      const ends = await Promise.allSettled([work(first), ...others]);
      const failed = ends.find((end) => end.status === "rejected");
      if (failed !== undefined) throw failed.reason;
    },
  };
}
