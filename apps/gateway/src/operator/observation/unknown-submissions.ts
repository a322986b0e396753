/**
 * Returns the number of submissions with an unknown outcome by segment. A segment without such submissions is omitted.
 */
export type CountUnknown = () => Promise<ReadonlyMap<string, number>>;

/** Returns the result of `CountUnknown`, for frequent readers; null if the store is unavailable or too slow. */
export type ReadUnknown = () => Promise<ReadonlyMap<string, number> | null>;

/** Maximum time for which metrics and pages wait for the store, in milliseconds. */
const LONGEST_WAIT_MS = 1_000;

/** Creates a function that many readers can call: simultaneous readers share one query, and wait at most a second. */
export function shareUnknownQuery(count: CountUnknown): ReadUnknown {
  let counting: ReturnType<ReadUnknown> | undefined;
  return () => {
    counting ??= count()
      .catch(() => null)
      .finally(() => {
        counting = undefined;
      });
    return orNullWhenLate(counting);
  };
}

async function orNullWhenLate<Result>(work: Promise<Result>): Promise<Result | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const late = setTimeout(() => resolve(null), LONGEST_WAIT_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(late);
  }
}
