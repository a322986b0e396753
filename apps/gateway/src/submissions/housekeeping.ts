import type { Logger } from "pino";
import type { SubmissionRecord } from "../store/record.ts";
import { StoreUnavailableError, type SubmissionStore } from "../store/store.ts";
import type { Time } from "../time.ts";
import type { Reconcile } from "./reconcile.ts";
import type { Recorder } from "./recorder.ts";

/** What housekeeping works with. */
export interface HousekeepingParts {
  readonly store: SubmissionStore;
  readonly recorder: Recorder;
  readonly reconcile: Reconcile;
  readonly time: Time;
  readonly logger: Logger;
}

const EVERY_MS = 1_000;
const FORGET_EVERY_MS = 10 * 60_000;
/** So many lookups are made at the same time at most. */
const LOOKUPS_AT_ONCE = 8;
/** A submission whose lookup never came to an end is taken again after this long. */
const LOOKUP_HIDDEN_MS = 5 * 60_000;

/** Does on a schedule what no request does; gives how to stop it, which waits for what is under way. */
export function startHousekeeping(parts: HousekeepingParts): () => Promise<void> {
  const { logger, recorder, store, time } = parts;
  let available = true;
  const whenAvailable = (work: () => Promise<void>) => async (): Promise<void> => {
    try {
      await work();
      if (!available) logger.info("the store is back");
      available = true;
    } catch (error) {
      if (available) logger.error({ failure: failureOf(error) }, "housekeeping failed");
      available = false;
    }
  };
  const schedule: readonly (readonly [number, () => Promise<void>])[] = [
    [EVERY_MS, () => recorder.retry()],
    [EVERY_MS, () => expireLeases(parts)],
    // Apart from the others: an insurer may take its time.
    [EVERY_MS, () => lookUpDue(parts)],
    [FORGET_EVERY_MS, () => store.forget(time.now())],
  ];
  const stops = schedule.map(([milliseconds, work]) =>
    time.every(milliseconds, whenAvailable(work)),
  );
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

async function expireLeases({ logger, store, time }: HousekeepingParts): Promise<void> {
  const at = time.now();
  const expired = await store.expireLeases(at, at);
  if (expired > 0) logger.warn({ submissions: expired }, "submissions lost their process");
}

async function lookUpDue({ logger, reconcile, store, time }: HousekeepingParts): Promise<void> {
  const at = time.now();
  const due = await store.takeDue(at, at + LOOKUP_HIDDEN_MS, LOOKUPS_AT_ONCE);
  const lookUp = (record: SubmissionRecord): Promise<void> =>
    reconcile(record).catch((error: unknown) => {
      // One that fails must not keep the others waiting; it is taken again.
      logger.error({ submissionId: record.id, failure: failureOf(error) }, "a lookup failed");
    });
  await Promise.all(due.map(lookUp));
}

/** Never an error's words: they may quote values. */
function failureOf(error: unknown): string {
  if (error instanceof StoreUnavailableError) return error.detail;
  return error instanceof Error ? error.constructor.name : typeof error;
}
