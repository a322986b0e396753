const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long an outcome stays unknown before the first query, in milliseconds. */
export const FIRST_QUERY_AFTER_MS: number = 2 * SECOND;

/** How long after the outcome became unknown a submission is queried again that was not found. */
const RECHECK_AFTER_MS = 7 * HOUR;

/** Absence is proved by two queries that are this far apart, the second at least this long after the request. */
const ABSENT_FOR_MS = 5 * MINUTE;
const ABSENT_AFTER_REQUEST_MS = 10 * MINUTE;

/** When queries are due, in milliseconds of running time since the outcome became unknown; after the last, a person must look. */
const times: readonly number[] = [
  FIRST_QUERY_AFTER_MS,
  32 * SECOND,
  152 * SECOND,
  12 * MINUTE,
  72 * MINUTE,
  RECHECK_AFTER_MS,
  31 * HOUR,
];

/**
 * When the next query is due that is planned; null when none is left.
 * @param since - the running time when the outcome became unknown
 * @param running - the running time now
 */
export function nextQueryAt(since: number, running: number): number | null {
  const wait = times.find((time) => since + time > running);
  return wait === undefined ? null : since + wait;
}

/** When a submission was sent and missed, by running time. */
export interface Missed {
  readonly received: number;
  readonly unknown: number;
  /** When a query did not find it for the first time. */
  readonly absent: number;
}

/** From when on a query that does not find a submission proves, with an earlier one, that the insurer does not have it. */
export function absentFrom({ absent, received }: Pick<Missed, "absent" | "received">): number {
  return Math.max(absent + ABSENT_FOR_MS, received + ABSENT_AFTER_REQUEST_MS);
}

/** When the query is due that can prove the absence of a submission: at a usual time, if one comes soon enough. */
export function secondQueryAt(missed: Missed): number {
  const earliest = absentFrom(missed);
  const usual = nextQueryAt(missed.unknown, earliest - 1);
  return usual !== null && usual <= earliest + ABSENT_FOR_MS ? usual : earliest;
}

/** Returns the running time at which a submission that was not found is queried once more. */
export function recheckAt(unknown: number, running: number): number {
  const usual = unknown + RECHECK_AFTER_MS;
  return usual > running ? usual : running + RECHECK_AFTER_MS;
}
