import type { Endpoint } from "../contract/endpoint.ts";
import { valueAt } from "../contract/pointer.ts";

/** The times at which a submission was sent and answered. The insurer created the application between these times. */
export interface CreationTimes {
  readonly from: number;
  /** The time of the answer or timeout; null while the submission is in flight. */
  readonly until: number | null;
}

/** Limits for the times of rival submissions, which may have created the same item, in milliseconds since 1970. */
export interface RivalTimes {
  /** The latest instant at which the gateway received a rival submission. */
  readonly receivedUntil: number;
  /** The earliest instant at which a rival's outcome became unknown. Rivals may also be in flight. */
  readonly unknownSince: number;
}

/** The operator's time zone. */
export interface TimeZone {
  /** Difference between the local time and UTC at an instant, in milliseconds. */
  readonly offsetAt: (at: number) => number;
}

const DAY_MS = 86_400_000;

/** Tolerance for creation times, in milliseconds: the insurer's clock may differ from the gateway's clock. */
const CLOCKS_DIFFER_MS = 60_000;

/** Longest text that is read as an instant, in characters. The regular expression takes quadratic time. */
const LONGEST_INSTANT = 64;
/** Pattern of a date and a time of day with a time zone. */
const INSTANT = /\d:\d\d.*(Z|GMT|[+-]\d\d:?\d\d)$/i;
/** Pattern of a date and a time of day without a time zone. */
const LOCAL = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/** Returns the possible creation instants of an item in the insurer's list. */
export function creationInstants(
  { reconcile }: Endpoint,
  item: unknown,
  days: TimeZone,
): readonly number[] {
  return instantsOf(reconcile && valueAt(item, reconcile.createdAt), days);
}

/**
 * Returns the possible instants of an insurer's time, in milliseconds since 1970. A time without a zone has one instant
 * in UTC, and its instants in the operator's time zone. A date alone, or an unreadable time, has no instant.
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

/** Returns the instants at which the operator's clocks show a time of day. In autumn, one hour is shown twice. */
function localInstants(shown: number, days: TimeZone): readonly number[] {
  const offsets = new Set([shown - DAY_MS, shown + DAY_MS].map(days.offsetAt));
  return [...offsets]
    .map((offset) => shown - offset)
    .filter((at) => days.offsetAt(at) === shown - at);
}

/**
 * Reports whether an item can have been created for a submission that was sent and answered at these times.
 * @param settleMs - the time after the answer in which the insurer may still create the item, in milliseconds
 */
export function canBelongTo(
  instants: readonly number[],
  { from, until }: CreationTimes,
  settleMs: number,
): boolean {
  const end = (until ?? Number.POSITIVE_INFINITY) + settleMs + CLOCKS_DIFFER_MS;
  return instants.some((at) => at >= from - CLOCKS_DIFFER_MS && at <= end);
}

/**
 * Returns the time limits for open submissions of other accounts that may have created the item in an answer. The item
 * belongs to this submission if the item was created between request and answer, with one minute of tolerance, and the
 * insurer cannot have carried out another submission then. The insurer may still carry out a submission of unknown
 * outcome during the settle time.
 * @param request - the time from the request to the answer
 * @param settleMs - the insurer's settle time, in milliseconds
 */
export function rivalsOf(
  instants: readonly number[],
  request: CreationTimes,
  settleMs: number,
): RivalTimes {
  if (!canBelongTo(instants, request, 0))
    return { receivedUntil: Number.MAX_SAFE_INTEGER, unknownSince: 0 };
  const [earliest, latest] = [Math.min(...instants), Math.max(...instants)];
  return {
    receivedUntil: latest + CLOCKS_DIFFER_MS,
    unknownSince: Math.min(earliest, request.from) - settleMs - CLOCKS_DIFFER_MS,
  };
}
