import type { Logger } from "../logging/logger.ts";
import { StoreUnavailableError, type SubmissionStore } from "../store/store.ts";
import type { Time } from "../time.ts";
import type { Reconcile } from "./reconcile.ts";
import type { Recorder } from "./recorder.ts";

/** What housekeeping works with. */
export interface HousekeepingParts {
  readonly store: SubmissionStore;
  readonly recorder: Recorder;
  readonly reconcile: Reconcile;
  /** The segments of the providers that have submissions. */
  readonly segments: readonly string[];
  readonly stopping: AbortSignal;
  readonly time: Time;
  readonly logger: Logger;
}

const EVERY_MS = 1_000;
const FORGET_EVERY_MS = 60_000;
/** So many are forgotten in one transaction: others wait for it. */
const FORGOTTEN_AT_ONCE = 500;
/** So many lookups are made of one insurer at the same time at most. */
const LOOKUPS_AT_ONCE = 8;
/** A submission whose lookup never came to an end is taken again after this long. */
const LOOKUP_HIDDEN_MS = 5 * 60_000;

/** Does on a schedule what no request does; gives how to stop it, which waits for what is under way. */
export function startHousekeeping(parts: HousekeepingParts): () => Promise<void> {
  const { recorder, segments, time } = parts;
  const schedule: readonly Chore[] = [
    { name: "writing endings", everyMs: EVERY_MS, work: () => recorder.retry() },
    { name: "leases", everyMs: EVERY_MS, work: () => expireLeases(parts) },
    { name: "forgetting", everyMs: FORGET_EVERY_MS, work: () => forget(parts) },
    // Each insurer for itself: one that takes its time keeps no other waiting.
    ...segments.map((segment) => ({
      name: `reconciliation of ${segment}`,
      everyMs: EVERY_MS,
      work: () => lookUpDue(parts, segment),
    })),
  ];
  const stops = schedule.map((chore) => time.every(chore.everyMs, watched(parts, chore)));
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Something that is done again and again. */
interface Chore {
  readonly name: string;
  readonly everyMs: number;
  readonly work: () => Promise<void>;
}

/** Says once that a chore fails, and once that it does no more. */
function watched({ logger }: HousekeepingParts, { name, work }: Chore): () => Promise<void> {
  let failing = false;
  return async () => {
    try {
      await work();
      if (failing) logger.info({ chore: name }, "housekeeping works again");
      failing = false;
    } catch (error) {
      if (!failing) logger.error({ chore: name, failure: failureOf(error) }, "housekeeping fails");
      failing = true;
    }
  };
}

async function expireLeases({ logger, store, time }: HousekeepingParts): Promise<void> {
  const at = time.now();
  const expired = await store.expireLeases(at, at);
  if (expired > 0) logger.warn({ submissions: expired }, "submissions lost their process");
}

async function forget({ stopping, store, time }: HousekeepingParts): Promise<void> {
  for (;;) {
    const forgotten = await store.forget(time.now(), FORGOTTEN_AT_ONCE);
    if (forgotten < FORGOTTEN_AT_ONCE || stopping.aborted) return;
  }
}

async function lookUpDue(
  { reconcile, stopping, store, time }: HousekeepingParts,
  segment: string,
): Promise<void> {
  for (;;) {
    const at = time.now();
    const due = await store.takeDue(segment, at, at + LOOKUP_HIDDEN_MS, LOOKUPS_AT_ONCE);
    await Promise.all(due.map(reconcile));
    if (due.length < LOOKUPS_AT_ONCE || stopping.aborted) return;
  }
}

/** Never an error's words: they may quote values. */
function failureOf(error: unknown): string {
  if (error instanceof StoreUnavailableError) return error.detail;
  return error instanceof Error ? error.constructor.name : typeof error;
}
