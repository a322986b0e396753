const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Time from the unknown outcome to the first query, in milliseconds. */
export const FIRST_QUERY_AFTER_MS: number = 2 * SECOND;

/** Time from the unknown outcome to the additional query for a submission that was not found, in milliseconds. */
const RECHECK_AFTER_MS = 7 * HOUR;

/**
 * Minimum time from the first query that did not find the submission to the query that proves absence, in milliseconds.
 */
const ABSENT_FOR_MS = 5 * MINUTE;
/** Minimum time from the request to the query that proves absence, in milliseconds. */
const ABSENT_AFTER_REQUEST_MS = 10 * MINUTE;

/**
 * The times of queries, in milliseconds of running time since the outcome became unknown. After the last query, a
 * person must ask the insurer.
 */
const queryTimes: readonly number[] = [
  FIRST_QUERY_AFTER_MS,
  32 * SECOND,
  152 * SECOND,
  12 * MINUTE,
  72 * MINUTE,
  RECHECK_AFTER_MS,
  31 * HOUR,
];

/**
 * Returns the running time of the next planned query; null after the last query.
 * @param since - the running time when the outcome became unknown
 * @param running - the running time now
 */
export function nextQueryAt(since: number, running: number): number | null {
  const wait = queryTimes.find((time) => since + time > running);
  return wait === undefined ? null : since + wait;
}

/** The running times of a submission that a query did not find. */
export interface MissedSubmission {
  readonly received: number;
  readonly unknown: number;
  /** The running time of the first query that did not find the submission. */
  readonly absent: number;
}

/** Returns the earliest running time at which a second query can prove that the insurer has no such submission. */
export function absentFrom({
  absent,
  received,
}: Pick<MissedSubmission, "absent" | "received">): number {
  return Math.max(absent + ABSENT_FOR_MS, received + ABSENT_AFTER_REQUEST_MS);
}

/** Returns the running time of the query that can prove absence: the earliest time, or a planned time soon after. */
export function secondQueryAt(missed: MissedSubmission): number {
  const earliest = absentFrom(missed);
  const usual = nextQueryAt(missed.unknown, earliest - 1);
  return usual !== null && usual <= earliest + ABSENT_FOR_MS ? usual : earliest;
}

/** Returns the running time of the additional query for a submission that was not found. */
export function recheckAt(unknown: number, running: number): number {
  const usual = unknown + RECHECK_AFTER_MS;
  return usual > running ? usual : running + RECHECK_AFTER_MS;
}
