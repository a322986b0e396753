import type { HeldBackReason, ObservedAttempt, ObservedEndpoint } from "../../events.ts";

/**
 * The health of a provider in the last five minutes. The figures ignore attempts that the caller cancelled or whose
 * credentials the insurer refused, and calls that the gateway refused because of maintenance.
 */
export interface HealthFigures {
  /** Number of attempts that the insurer answered or that failed, plus the calls in `refused`. */
  readonly calls: number;
  /**
   * Number of calls that the gateway refused without an attempt: the circuit breaker was open, or no slot was free.
   */
  readonly refused: number;
  /** The failed and refused share of `calls`, from 0 to 1; null without a call. */
  readonly errorRate: number | null;
  /** The median duration of attempts, in milliseconds; null without a call. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /**
   * The time of the last answered attempt, even if more than five minutes ago, in milliseconds since 1970; null if no
   * attempt was answered since the start.
   */
  readonly lastSuccessAt: number | null;
}

/** Records the health of providers. */
export type ProviderHealth = ReturnType<typeof createProviderHealth>;

/**
 * Length of a slot in milliseconds. The window of five minutes consists of slots. A new slot replaces the oldest slot.
 */
const SLOT_MS = 10_000;
const SLOT_COUNT = 30;

/** The counted attempts and refused calls of ten seconds. */
interface Slot {
  /** The number of the slot, counted in steps of ten seconds since 1970. */
  readonly number: number;
  answered: number;
  failed: number;
  refused: number;
  readonly durations: DurationBuckets;
}

/** The recorded slots of one provider. */
interface ProviderPast {
  /** The last slots as a ring: the index of a slot is the slot's number modulo `SLOT_COUNT`. */
  readonly slots: (Slot | undefined)[];
  lastSuccessAt: number | null;
}

/** Creates the recorder of all providers' health. Its memory does not grow with the number of calls. */
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
    // A cancelled attempt or refused credentials show no failure of the insurer. Refused credentials are reported for
    // the account.
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

/** The ratio of two neighbouring buckets' bounds, so that a percentile has an error of at most 5 %. */
const BUCKET_GROWTH = 1.1;
const BUCKET_COUNT = 121;

/** The number of durations in each bucket. The buckets cover durations from 1 ms to about 92 s. */
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

/** Returns a percentile of durations in milliseconds; null without a duration. @param share - 0.95 for the 95th */
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
