import type { ScheduledTask } from "../logging/fields.ts";
import type { Logger } from "../logging/logger.ts";
import { StoreUnavailableError, type SubmissionStore } from "../store/store.ts";
import type { Time } from "../time.ts";
import type { Recorder } from "./recorder.ts";

/** What housekeeping works with. */
export interface HousekeepingParts {
  readonly store: SubmissionStore;
  readonly recorder: Recorder;
  readonly stopping: AbortSignal;
  readonly time: Time;
  readonly logger: Logger;
}

/** Does something again and again until it is stopped; reports once that it fails, and once that it works again. */
export type Every = (
  task: ScheduledTask,
  milliseconds: number,
  work: () => Promise<void>,
) => () => Promise<void>;

/** Makes what repeats tasks. */
export function createEvery({ logger, time }: Pick<HousekeepingParts, "logger" | "time">): Every {
  return (task, milliseconds, work) => {
    let failing = false;
    return time.every(milliseconds, async () => {
      try {
        await work();
        if (failing) logger.info({ task }, "housekeeping works again");
        failing = false;
      } catch (error) {
        if (!failing) logger.error({ task, failure: failureOf(error) }, "housekeeping fails");
        failing = true;
      }
    });
  };
}

const EVERY_MS = 1_000;
const FORGET_EVERY_MS = 60_000;
/** So many are forgotten in one transaction: other transactions wait for it. */
const FORGOTTEN_AT_ONCE = 500;

/**
 * Writes endings that could not be written, ends leases, and forgets what is old.
 * @returns how to stop it, which waits for what is under way
 */
export function startHousekeeping(parts: HousekeepingParts, every: Every): () => Promise<void> {
  const { recorder } = parts;
  const stops = [
    every("writing endings", EVERY_MS, () => recorder.retry()),
    every("leases", EVERY_MS, () => expireLeases(parts)),
    every("forgetting", FORGET_EVERY_MS, () => forget(parts)),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
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

/** Never an error's message: it may quote values. */
function failureOf(error: unknown): string {
  if (error instanceof StoreUnavailableError) return error.detail;
  return error instanceof Error ? error.constructor.name : typeof error;
}
