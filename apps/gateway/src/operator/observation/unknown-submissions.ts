/** How many submissions of unknown outcome each provider's segment has; a segment that is left out has none. */
export type CountUnknown = () => Promise<ReadonlyMap<string, number>>;

/** The same for who looks often: null when the store is unavailable or too slow. */
export type ReadUnknown = () => Promise<ReadonlyMap<string, number> | null>;

/** Scrapes and pages must not wait for a store that hangs. */
const LONGEST_WAIT_MS = 1_000;

/** Makes counting safe for many readers: one count at a time, which all of them share, and nobody waits for long. */
export function readUnknown(count: CountUnknown): ReadUnknown {
  let counting: ReturnType<ReadUnknown> | undefined;
  return () => {
    counting ??= count()
      .catch(() => null)
      .finally(() => {
        counting = undefined;
      });
    return atMost(counting);
  };
}

async function atMost<Result>(work: Promise<Result>): Promise<Result | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const late = setTimeout(() => resolve(null), LONGEST_WAIT_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(late);
  }
}
