import type { Logger } from "pino";
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
  const stops = [
    time.every(
      EVERY_MS,
      whenAvailable(async () => {
        await recorder.retry();
        await settleUnknown(parts);
      }),
    ),
    time.every(
      FORGET_EVERY_MS,
      whenAvailable(() => store.forget(time.now())),
    ),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

async function settleUnknown({ logger, reconcile, store, time }: HousekeepingParts): Promise<void> {
  const at = time.now();
  const expired = await store.expireLeases(at, at);
  if (expired > 0) logger.warn({ submissions: expired }, "submissions lost their process");
  const due = await store.takeDue(at, at + LOOKUP_HIDDEN_MS, LOOKUPS_AT_ONCE);
  await Promise.all(due.map(reconcile));
}

/** Never an error's words: they may quote values. */
function failureOf(error: unknown): string {
  if (error instanceof StoreUnavailableError) return error.detail;
  return error instanceof Error ? error.constructor.name : typeof error;
}
