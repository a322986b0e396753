/** How long after its claim a submission may begin to be sent; its lease is longer than its deadline by this. */
export const SEND_WITHIN_MS = 15_000;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long an outcome stays unknown before the first lookup, in milliseconds. */
export const FIRST_QUERY_AFTER_MS: number = 2 * SECOND;

/** How long to wait before each lookup of an unknown outcome; after the last, a person must look. */
const queryWaits: readonly number[] = [
  FIRST_QUERY_AFTER_MS,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  HOUR,
  6 * HOUR,
  24 * HOUR,
];

/** When the lookup after so many is due; null when there is none left. */
export function nextQuery(lookups: number, at: number): number | null {
  const wait = queryWaits[lookups];
  return wait === undefined ? null : at + wait;
}

/** What is kept how long, in milliseconds. */
export interface Retention {
  /** The answer, to be replayed. */
  readonly answerMs: number;
  /** The digests, so that the same key is never sent again. */
  readonly digestsMs: number;
}
