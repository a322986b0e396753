const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long an outcome stays unknown before the first query, in milliseconds. */
export const FIRST_QUERY_AFTER_MS: number = 2 * SECOND;

/** When queries are due, in milliseconds of running time since the outcome became unknown; after the last, a person must look. */
const times: readonly number[] = [
  FIRST_QUERY_AFTER_MS,
  32 * SECOND,
  152 * SECOND,
  12 * MINUTE,
  72 * MINUTE,
  7 * HOUR,
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
