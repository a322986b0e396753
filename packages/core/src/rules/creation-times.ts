import type { Endpoint } from "../contract/endpoint.ts";
import { valueAt } from "../contract/pointer.ts";

/** Between which instants a submission's answer was waited for: then, the insurer created what it asked for. */
export interface CreationTimes {
  readonly from: number;
  /** Null while it is in flight. */
  readonly until: number | null;
}

/** The times of submissions that may have created the same item, in milliseconds since 1970. */
export interface RivalTimes {
  /** They were received no later than this. */
  readonly receivedUntil: number;
  /** They are in flight, or their outcome has been unknown since this or later. */
  readonly unknownSince: number;
}

/** The operator's time zone. */
export interface TimeZone {
  /** How far the time of day is ahead of UTC at an instant, in milliseconds. */
  readonly offsetAt: (at: number) => number;
}

const DAY_MS = 86_400_000;

/** Maximum difference between a clock of the insurer and ours, if it tells two submissions apart. */
const CLOCKS_DIFFER_MS = 60_000;

/** No form of an instant is longer, and the expression takes quadratic time. */
const LONGEST_INSTANT = 64;
/** A date and a time of day with their zone. */
const INSTANT = /\d:\d\d.*(Z|GMT|[+-]\d\d:?\d\d)$/i;
/** A date and a time of day whose zone is not named. */
const LOCAL = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/** The instants that the creation time of an item of the insurer's list can mean. */
export function creationInstants(
  { reconcile }: Endpoint,
  item: unknown,
  days: TimeZone,
): readonly number[] {
  return instantsOf(reconcile && valueAt(item, reconcile.createdAt), days);
}

/**
 * The instants that an insurer's time can mean, in milliseconds since 1970. A time without a zone is read in UTC and in the
 * operator's time zone. A date alone, or nothing readable, has none.
 */
export function instantsOf(time: unknown, days: TimeZone): readonly number[] {
  if (typeof time !== "string" || time.length > LONGEST_INSTANT) return [];
  if (LOCAL.test(time)) {
    const utc = Date.parse(`${time.replace(" ", "T")}Z`);
    return Number.isNaN(utc) ? [] : [utc, ...localInstants(utc, days)];
  }
  const at = INSTANT.test(time) ? Date.parse(time) : Number.NaN;
  return Number.isNaN(at) ? [] : [at];
}

/** The instants at which the operator's clocks show a time of day: two in the hour that they show twice, in autumn. */
function localInstants(shown: number, days: TimeZone): readonly number[] {
  const offsets = new Set([shown - DAY_MS, shown + DAY_MS].map(days.offsetAt));
  return [...offsets]
    .map((offset) => shown - offset)
    .filter((at) => days.offsetAt(at) === shown - at);
}

/**
 * Reports whether an item can have been created for a submission whose answer was waited for between two instants.
 * @param settleMs - how long after that the insurer may still carry it out
 */
export function canBeOf(
  instants: readonly number[],
  { from, until }: CreationTimes,
  settleMs: number,
): boolean {
  const end = (until ?? Number.POSITIVE_INFINITY) + settleMs + CLOCKS_DIFFER_MS;
  return instants.some((at) => at >= from - CLOCKS_DIFFER_MS && at <= end);
}

/**
 * Finds which open submissions of other accounts may have created what an answer names. The application is this
 * submission's if it was created between request and answer, give or take a minute, and the insurer carried out no other
 * request then. It may carry one out until its time to settle is over, counted from when the outcome became unknown.
 * @param request - the time from the request to the answer
 * @param settleMs - the insurer's time to settle, in milliseconds
 */
export function rivalsOf(
  instants: readonly number[],
  request: CreationTimes,
  settleMs: number,
): RivalTimes {
  if (!canBeOf(instants, request, 0))
    return { receivedUntil: Number.MAX_SAFE_INTEGER, unknownSince: 0 };
  const [earliest, latest] = [Math.min(...instants), Math.max(...instants)];
  return {
    receivedUntil: latest + CLOCKS_DIFFER_MS,
    unknownSince: Math.min(earliest, request.from) - settleMs - CLOCKS_DIFFER_MS,
  };
}
