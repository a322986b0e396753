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
