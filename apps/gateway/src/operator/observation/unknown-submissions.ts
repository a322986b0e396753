/**
 * Returns the number of submissions with an unknown outcome by segment. A segment without such submissions is omitted.
 */
export type CountUnknown = () => Promise<ReadonlyMap<string, number>>;

/** Returns the same for frequent readers; null if the store is unavailable or too slow. */
export type ReadUnknown = () => Promise<ReadonlyMap<string, number> | null>;

/** Maximum wait of metrics and pages for a store that hangs, in milliseconds. */
const LONGEST_WAIT_MS = 1_000;

/** Returns a function for many readers: they share one query at a time, and wait only for a limited time. */
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
