import { randomBytes } from "node:crypto";
import type { Scheduler } from "../scheduled-tasks.ts";
import type { SubmissionRecord } from "../store/record.ts";
import type { Time } from "../time.ts";
import type { ReconcileParts } from "./query-result.ts";
import type { Reconcile } from "./reconcile.ts";

/** When reconciliation queries are made. */
export type Schedule = ReturnType<typeof startSchedule>;

/** The parts of the schedule. */
export interface ScheduleParts extends Pick<ReconcileParts, "clock" | "store" | "stopping"> {
  readonly time: Pick<Time, "elapsed" | "every">;
  readonly reconcile: Reconcile;
  /** The segments of the providers that have submissions. */
  readonly segments: readonly string[];
  /** How many queries are sent to one insurer in a second at most, as it is set now. */
  readonly queriesPerSecond: () => number;
  /** Whether the insurer of a segment maintains its service now: it is not queried then. */
  readonly isMaintained: (segment: string) => boolean;
  readonly every: Scheduler;
}

/** How often the store is asked for queries that are due, in milliseconds. */
const LOOK_EVERY_MS = 500;
/** How long a process that ended may still be believed to reconcile is three of these, in milliseconds. */
const LEAD_EVERY_MS = 1_500;
/** The time for which a process leads after it last asked the store; shorter than the store's own, in milliseconds. */
const LEAD_MS = 4_000;
/** How often queries that wait for the limit are looked at again, in milliseconds. */
const RELEASE_EVERY_MS = 50;
/** The pause of all queries after a fault of the store, in milliseconds. */
const STORE_PAUSE_MS = 5_000;
/** Maximum of queries of one insurer at the same time. */
const QUERIES_AT_ONCE = 8;
/** While an insurer does not answer, one query is sent in this time to see whether it does again, in milliseconds. */
const PROBE_EVERY_MS = 10_000;
/** The number of unanswered queries in a row after which an insurer gets only probes. */
const SILENT_AFTER = 3;
/** A caller's question brings a query forward when the last one is older than this, in milliseconds. */
const ASK_AGAIN_AFTER_MS = 10_000;

/**
 * Starts reconciliation: for each segment one process of all that share the store queries the insurer, one query at a
 * time for each submission, the oldest first, and no more in a second than the limit.
 */
export function startSchedule(parts: ScheduleParts) {
  const { clock, every, segments, store, time } = parts;
  const owner = randomBytes(16);
  const queues = new Map(segments.map((segment) => [segment, createQueue(parts, segment)]));
  const stops = [...queues].flatMap(([segment, queue]) => [
    every(`reconciliation of ${segment}`, LEAD_EVERY_MS, async () => {
      const askedAt = time.elapsed();
      const leads = !store.shared || (await store.lead(segment, owner));
      if (leads) queue.lead(store.shared ? askedAt + LEAD_MS : Number.POSITIVE_INFINITY);
    }),
    every(`reconciliation of ${segment}`, LOOK_EVERY_MS, () => queue.run()),
  ]);
  const release = (): void => {
    for (const queue of queues.values()) queue.release();
  };
  // One timer for all: one for each of many insurers would wake the process hundreds of times a second.
  const stopReleasing = time.every(RELEASE_EVERY_MS, async () => release());
  return {
    /**
     * An insurer answers again, or takes the credentials of an account again: every query of its segment, or of the
     * account, is due now.
     * @param account - null for all
     */
    insurerRecovered: (segment: string, account: string | null): void =>
      queues.get(segment)?.recovered(account),
    /** Somebody asks for a submission of unknown outcome: its query is due now, unless it was made just now. */
    asked(id: string): void {
      const { running } = clock.now();
      // A question is answered from what was read, also when the store cannot be written.
      store.bringForwardOne(id, running, running - ASK_AGAIN_AFTER_MS).catch(() => undefined);
    },
    /** Stops, and waits for the queries that are under way. */
    async stop(): Promise<void> {
      release();
      await Promise.all([stopReleasing, ...stops].map((stop) => stop()));
    },
  };
}

/** A submission whose query is due, and whether it is a probe of an insurer that did not answer. */
interface Due {
  readonly record: SubmissionRecord;
  readonly probe: boolean;
}

function createQueue(
  { clock, isMaintained, queriesPerSecond, reconcile, stopping, store, time }: ScheduleParts,
  segment: string,
) {
  let leadsUntil = Number.NEGATIVE_INFINITY;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let isRecovered = false;
  /** When the queries of the last second were made, by `Time.elapsed()`. */
  let made: readonly number[] = [];
  let waiting: (() => void)[] = [];
  /** When the next probe is due while the insurer does not answer, by `Time.elapsed()`; null while it does. */
  let nextProbeAt: number | null = null;
  let unansweredInRow = 0;
  /** The accounts whose credentials fail, each with when one query may try them, by `Time.elapsed()`. The others' go on. */
  const refused = new Map<string, number>();
  /** The accounts whose credentials work again. */
  const accepted = new Set<string>();
  const underWay = new Set<string>();

  const mayAsk = async (): Promise<void> => {
    for (;;) {
      const now = time.elapsed();
      made = made.filter((at) => now - at < 1_000);
      if (made.length < queriesPerSecond() || stopping.aborted) break;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    made = [...made, time.elapsed()];
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

  async function next(): Promise<Due | null> {
    const elapsed = time.elapsed();
    if (elapsed >= leadsUntil || elapsed < pausedUntil || stopping.aborted) return null;
    if (isMaintained(segment)) return null;
    await resume();
    const { running } = clock.now();
    const probe = nextProbeAt !== null;
    if (nextProbeAt !== null) {
      if (elapsed < nextProbeAt) return null;
      nextProbeAt = elapsed + PROBE_EVERY_MS;
    }
    const notNow = [...refused].flatMap(([account, tryAt]) => (elapsed < tryAt ? [account] : []));
    // At most seven others are under way, so one of eight is free.
    const due = await store.due(segment, probe ? "probe" : running, QUERIES_AT_ONCE, notNow);
    const record = due.find(({ id }) => !underWay.has(id));
    if (record === undefined) return null;
    if (refused.has(record.account)) refused.set(record.account, elapsed + PROBE_EVERY_MS);
    underWay.add(record.id);
    return { record, probe };
  }

  async function work(first: Due | null): Promise<void> {
    for (let found = first; found !== null; found = await next()) {
      const { probe, record } = found;
      try {
        const result = await reconcile(record, { mayAsk, probe });
        if (result === "no_credentials") {
          refused.set(record.account, time.elapsed() + PROBE_EVERY_MS);
          continue;
        }
        if (result === "answered" && refused.has(record.account)) accepted.add(record.account);
        unansweredInRow = result === "answered" ? 0 : unansweredInRow + 1;
        if (unansweredInRow >= SILENT_AFTER) nextProbeAt ??= time.elapsed() + PROBE_EVERY_MS;
        else if (nextProbeAt !== null) isRecovered = true;
      } catch (error) {
        pausedUntil = time.elapsed() + STORE_PAUSE_MS;
        throw error;
      } finally {
        underWay.delete(record.id);
      }
    }
  }

  return {
    /** Makes this process the one that makes them, until an instant of `Time.elapsed()`. */
    lead(until: number): void {
      leadsUntil = until;
    },
    /** Lets queries go on that waited for the limit. */
    release(): void {
      const released = waiting;
      waiting = [];
      for (const release of released) release();
    },
    /** The insurer answers again, or takes the credentials of an account again. */
    recovered(account: string | null): void {
      if (account === null) isRecovered = true;
      else accepted.add(account);
    },
    /** Makes every query that is due. */
    async run(): Promise<void> {
      const first = await next();
      if (first === null) return;
      const others = Array.from({ length: QUERIES_AT_ONCE - 1 }, async () => work(await next()));
      const ends = await Promise.allSettled([work(first), ...others]);
      const failed = ends.find((end) => end.status === "rejected");
      if (failed !== undefined) throw failed.reason;
    },
  };
}
