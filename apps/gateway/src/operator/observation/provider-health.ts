import type { HeldBack, ObservedAttempt, ObservedEndpoint } from "../../events.ts";

/**
 * How a provider has done in the last five minutes. Attempts whose caller went away, or whose credentials were refused, and
 * calls that were refused for declared maintenance say nothing about it.
 */
export interface HealthFigures {
  /** Attempts that were answered or failed, and calls that the gateway refused. */
  readonly calls: number;
  /** Calls that the gateway refused without an attempt: the breaker was open, or the bulkhead had no place. */
  readonly refused: number;
  /** The share of calls that failed or were refused, from 0 to 1; null without a call. */
  readonly errorRate: number | null;
  /** How long half of the attempts took at most, in milliseconds; null without a call. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** When an attempt was answered last, in milliseconds since 1970, however long ago; null since the start. */
  readonly lastSuccessAt: number | null;
}

/** Knows how providers have done lately. */
export type ProviderHealth = ReturnType<typeof createProviderHealth>;

/** The window is made of slots, and moves on by one each ten seconds. */
const SLOT_MS = 10_000;
const SLOTS = 30;

/** The events of ten seconds. */
interface Slot {
  /** Which ten seconds since 1970. */
  readonly number: number;
  answered: number;
  failed: number;
  refused: number;
  readonly durations: DurationBuckets;
}

/** The past of one provider. */
interface Past {
  /** Each at its number's remainder. */
  readonly slots: (Slot | undefined)[];
  lastSuccessAt: number | null;
}

/** Makes one that knows nothing yet. The memory it takes does not grow with the calls. */
export function createProviderHealth(now: () => number) {
  const pasts = new Map<string, Past>();
  const pastOf = (segment: string): Past => {
    const past = pasts.get(segment) ?? { slots: [], lastSuccessAt: null };
    pasts.set(segment, past);
    return past;
  };
  const heldBack = ({ segment }: ObservedEndpoint, by: HeldBack): void => {
    if (by !== "maintenance") slotAt(pastOf(segment), now()).refused += 1;
  };
  const attemptEnded = (attempt: ObservedAttempt): void => {
    // The insurer works; its refusal of an account's credentials is reported for the account.
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
    /** The figures of a provider's segment. */
    figures(segment: string): HealthFigures {
      const past = pasts.get(segment);
      return {
        ...figuresOf(slotsUntil(past?.slots ?? [], now())),
        lastSuccessAt: past?.lastSuccessAt ?? null,
      };
    },
  };
}

function slotAt({ slots }: Past, at: number): Slot {
  const number = Math.floor(at / SLOT_MS);
  const there = slots[number % SLOTS];
  if (there?.number === number) return there;
  const slot = { number, answered: 0, failed: 0, refused: 0, durations: createDurationBuckets() };
  slots[number % SLOTS] = slot;
  return slot;
}

function slotsUntil(slots: readonly (Slot | undefined)[], at: number): readonly Slot[] {
  const newest = Math.floor(at / SLOT_MS);
  return slots.flatMap((slot) =>
    slot !== undefined && slot.number > newest - SLOTS && slot.number <= newest ? [slot] : [],
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

/** Each bucket reaches a tenth further than the one before, from 1 ms to about 92 s: a percentile is true to 5 %. */
const GROWTH = 1.1;
const BUCKETS = 121;

/** How often durations came, by their length: fixed in size, however many there are. */
export type DurationBuckets = Uint32Array;

/** Makes buckets with nothing in them. */
export function createDurationBuckets(): DurationBuckets {
  return new Uint32Array(BUCKETS);
}

/** Notes one duration, in milliseconds. */
export function addDuration(buckets: DurationBuckets, milliseconds: number): void {
  const index = Math.ceil(Math.log(Math.max(1, milliseconds)) / Math.log(GROWTH));
  const bucket = Math.min(index, BUCKETS - 1);
  buckets[bucket] = (buckets[bucket] ?? 0) + 1;
}

/** The duration that this share of all is not longer than, in milliseconds; null when there is none. */
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
  return found === 0 ? 1 : Math.round(GROWTH ** (found - 0.5) * 10) / 10;
}
