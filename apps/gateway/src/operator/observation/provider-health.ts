import type { HeldBackReason, ObservedAttempt, ObservedEndpoint } from "../../events.ts";

/**
 * The health of a provider in the last five minutes. It ignores attempts that the caller cancelled or whose credentials
 * were refused, and calls that were refused because of maintenance.
 */
export interface HealthFigures {
  /** Number of attempts that were answered or failed, plus refused calls. */
  readonly calls: number;
  /**
   * Number of calls that the gateway refused without an attempt: the breaker was open, or the bulkhead had no free
   * slot.
   */
  readonly refused: number;
  /** The share of calls that failed or were refused, from 0 to 1; null without a call. */
  readonly errorRate: number | null;
  /** The median duration of attempts, in milliseconds; null without a call. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /**
   * The time of the last answered attempt, in milliseconds since 1970, regardless of its age; null for none since the
   * start.
   */
  readonly lastSuccessAt: number | null;
}

/** Records the health of providers. */
export type ProviderHealth = ReturnType<typeof createProviderHealth>;

/**
 * Length of a slot in milliseconds. The window of five minutes consists of slots, and moves on by one slot at a time.
 */
const SLOT_MS = 10_000;
const SLOT_COUNT = 30;

/** The events of ten seconds. */
interface Slot {
  /** The number of this slot since 1970. */
  readonly number: number;
  answered: number;
  failed: number;
  refused: number;
  readonly durations: DurationBuckets;
}

/** The recorded past of one provider. */
interface ProviderPast {
  /** The slots, each at the remainder of its number. */
  readonly slots: (Slot | undefined)[];
  lastSuccessAt: number | null;
}

/** Creates an empty record. Its memory does not grow with the number of calls. */
export function createProviderHealth(now: () => number) {
  const pasts = new Map<string, ProviderPast>();
  const pastOf = (segment: string): ProviderPast => {
    const past = pasts.get(segment) ?? { slots: [], lastSuccessAt: null };
    pasts.set(segment, past);
    return past;
  };
  const heldBack = ({ segment }: ObservedEndpoint, by: HeldBackReason): void => {
    if (by !== "maintenance") slotAt(pastOf(segment), now()).refused += 1;
  };
  const attemptEnded = (attempt: ObservedAttempt): void => {
    // The insurer works. Its refusal of an account's credentials is reported for the account.
    if (attempt.result === "cancelled" || attempt.result === "credentials_refused") return;
    const past = pastOf(attempt.segment);
    const at = now();
    const slot = slotAt(past, at);
    addDuration(slot.durations, attempt.durationMs);
    if (attempt.result === "answered") {
      slot.answered += 1;
      past.lastSuccessAt = at;
    } else slot.failed += 1;
  };
  return {
    observation: { attemptEnded, heldBack },
    /** Returns the figures of a provider's segment. */
    figures(segment: string): HealthFigures {
      const past = pasts.get(segment);
      return {
        ...figuresOf(slotsUntil(past?.slots ?? [], now())),
        lastSuccessAt: past?.lastSuccessAt ?? null,
      };
    },
  };
}

function slotAt({ slots }: ProviderPast, at: number): Slot {
  const number = Math.floor(at / SLOT_MS);
  const there = slots[number % SLOT_COUNT];
  if (there?.number === number) return there;
  const slot = { number, answered: 0, failed: 0, refused: 0, durations: createDurationBuckets() };
  slots[number % SLOT_COUNT] = slot;
  return slot;
}

function slotsUntil(slots: readonly (Slot | undefined)[], at: number): readonly Slot[] {
  const newest = Math.floor(at / SLOT_MS);
  return slots.flatMap((slot) =>
    slot !== undefined && slot.number > newest - SLOT_COUNT && slot.number <= newest ? [slot] : [],
  );
}

function figuresOf(slots: readonly Slot[]): Omit<HealthFigures, "lastSuccessAt"> {
  const answered = slots.reduce((sum, slot) => sum + slot.answered, 0);
  const failed = slots.reduce((sum, slot) => sum + slot.failed, 0);
  const refused = slots.reduce((sum, slot) => sum + slot.refused, 0);
  const calls = answered + failed + refused;
  const durations = slots.map((slot) => slot.durations);
  return {
    calls,
    refused,
    errorRate: calls === 0 ? null : (failed + refused) / calls,
    p50Ms: percentileOf(durations, 0.5),
    p95Ms: percentileOf(durations, 0.95),
  };
}

/** The ratio of two neighbouring buckets' bounds, from 1 ms to about 92 s. A percentile is therefore exact to 5 %. */
const BUCKET_GROWTH = 1.1;
const BUCKET_COUNT = 121;

/** The number of durations in each bucket. The size is fixed, regardless of the number of durations. */
export type DurationBuckets = Uint32Array;

/** Creates empty buckets. */
export function createDurationBuckets(): DurationBuckets {
  return new Uint32Array(BUCKET_COUNT);
}

/** Adds one duration, in milliseconds. */
export function addDuration(buckets: DurationBuckets, milliseconds: number): void {
  const index = Math.ceil(Math.log(Math.max(1, milliseconds)) / Math.log(BUCKET_GROWTH));
  const bucket = Math.min(index, BUCKET_COUNT - 1);
  buckets[bucket] = (buckets[bucket] ?? 0) + 1;
}

/** Returns the duration that this share of all durations does not exceed, in milliseconds; null for empty buckets. */
export function percentileOf(all: readonly DurationBuckets[], share: number): number | null {
  const merged = createDurationBuckets();
  for (const buckets of all)
    for (const [bucket, times] of buckets.entries()) merged[bucket] = (merged[bucket] ?? 0) + times;
  const total = merged.reduce((sum, times) => sum + times, 0);
  if (total === 0) return null;
  let seen = 0;
  const found = merged.findIndex((times) => {
    seen += times;
    return seen >= total * share;
  });
  return found === 0 ? 1 : Math.round(BUCKET_GROWTH ** (found - 0.5) * 10) / 10;
}
