import type { Observation } from "../../events.ts";
import { StoreUnavailableError } from "../../store/faults.ts";
import type { SubmissionStore } from "../../store/store.ts";
import type { CountedAttempts } from "../../store/stored-usage.ts";
import type { Time } from "../../time.ts";
import { createCounter } from "./counter.ts";
import { createDays, daysAfter } from "./days.ts";
import { createQuotas, type QuotasParts } from "./quotas.ts";

/** The usage and the quotas of accounts, and the availability of insurers. */
export type Usage = ReturnType<typeof createUsage>;

/** Arguments of `createUsage`. */
export interface UsageParts extends Pick<QuotasParts, "quotasOf" | "refused"> {
  /** A time zone of the IANA database: `Europe/Athens`. */
  readonly timeZone: string;
  readonly time: Time;
  /**
   * Reports whether the operator has declared maintenance of an insurer for the present time. Failures then do not
   * count.
   */
  readonly isMaintained: (segment: string) => boolean;
}

const WRITE_EVERY_MS = 1_000;
const DELETE_EVERY_MS = 3_600_000;
/** Time for which the gateway caches the attempts that it has read from the store, in milliseconds. */
const ATTEMPTS_CACHED_MS = 5_000;
/** Retention of usage, in days: two years and a month, so that operators can compare a year with the year before. */
const USAGE_KEPT_DAYS = 761;
/** Number of days of availability that callers can read. */
export const AVAILABILITY_DAYS = 90;

/** Creates the counts of usage, which stay in memory until `useStore` is called. */
export function createUsage({ isMaintained, quotasOf, refused, time, timeZone }: UsageParts) {
  const days = createDays(timeZone);
  const now = (): number => time.now();
  const counter = createCounter(days, now);
  const quotas = createQuotas({ counter, days, now, quotasOf, refused });
  const observation: Pick<Observation, "attemptEnded" | "heldBack"> = {
    attemptEnded({ result, segment }) {
      if (result !== "cancelled" && !isMaintained(segment))
        counter.attempted(segment, result === "failed");
    },
    heldBack({ segment }, by) {
      if (by === "breaker" && !isMaintained(segment)) counter.heldBack(segment);
    },
  };
  let readAttempts: () => Promise<readonly CountedAttempts[] | null> = async () => null;
  return {
    quotas,
    /** The calendar of the configured time zone. */
    days,
    /** Counts requests to insurers. The availability of insurers is computed from these counts. */
    observation,
    /**
     * Starts to write the counts to the store. Returns a function that writes the last counts and stops the writing.
     * @param storeNow - returns the time of the store's clock, which decides when usage is old enough to be deleted
     */
    useStore(store: SubmissionStore, storeNow: () => number): () => Promise<void> {
      counter.writeTo(store);
      readAttempts = rememberBriefly(time, () =>
        store.attemptsSince(daysAfter(days.dayOf(now()), 1 - AVAILABILITY_DAYS)),
      );
      const stops = [
        time.every(WRITE_EVERY_MS, () => counter.flush()),
        time.every(DELETE_EVERY_MS, () => deleteOldUsage(store, days.dayOf(storeNow()))),
      ];
      return async () => {
        await Promise.all(stops.map((stop) => stop()));
        await counter.flush();
      };
    },
    /** Returns the attempts of the last 90 days in all processes; null while the store is unavailable. */
    attempts: (): Promise<readonly CountedAttempts[] | null> => readAttempts(),
    /** Returns the number of counted calls that are not written yet. */
    unwritten: (): number => counter.unwritten(),
    /** Returns the number of counted calls that may not be in the store. */
    lost: (): number => counter.lost(),
  };
}

/**
 * Returns a function that caches the result of `read` for five seconds, and returns null if the store is unavailable.
 */
function rememberBriefly<Result>(
  time: Time,
  read: () => Promise<Result>,
): () => Promise<Result | null> {
  let readAt = Number.NEGATIVE_INFINITY;
  let last: Promise<Result | null> = Promise.resolve(null);
  return () => {
    if (time.elapsed() - readAt < ATTEMPTS_CACHED_MS) return last;
    readAt = time.elapsed();
    last = read().catch((error: unknown) => {
      if (error instanceof StoreUnavailableError) return null;
      throw error;
    });
    return last;
  };
}

async function deleteOldUsage(store: SubmissionStore, today: string): Promise<void> {
  await store
    .forgetCounts(daysAfter(today, -USAGE_KEPT_DAYS), daysAfter(today, -AVAILABILITY_DAYS))
    // A failed deletion needs no action, because the next deletion follows in an hour.
    .catch(() => undefined);
}
