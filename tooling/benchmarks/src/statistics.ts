/** A median with its confidence interval. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  /** The confidence level of the interval, from 0 to 1: at least 0.95 for six or more values. */
  readonly confidence: number;
}

/** The minimum confidence level of a result. */
const CONFIDENCE = 0.95;

/**
 * Returns the median with its confidence interval: the narrowest symmetric pair of the sorted values that contains the
 * true median with at least 95 %. The interval depends on no distribution, because each value is above the true median
 * with probability one half. For fewer than six values the interval contains all values.
 * @throws RangeError for an empty list
 */
export function medianOf(values: readonly number[]): Estimate {
  const sorted = values.toSorted((one, other) => one - other);
  const count = sorted.length;
  if (count === 0) throw new RangeError("An empty list has no median");
  const at = (rank: number): number => sorted[rank] ?? Number.NaN;
  let cut = 0;
  // The number of values that the interval excludes on each side.
  while (cut + 1 < count / 2 && coverage(count, cut + 1) >= CONFIDENCE) cut += 1;
  return {
    median: (at(Math.floor((count - 1) / 2)) + at(Math.ceil((count - 1) / 2))) / 2,
    low: at(cut),
    high: at(count - 1 - cut),
    confidence: coverage(count, cut),
  };
}

/** Returns the probability that the interval contains the true median after `cut` values are excluded on each side. */
function coverage(count: number, cut: number): number {
  let ways = 1;
  let outside = 0;
  for (let below = 0; below <= cut; below += 1) {
    outside += ways;
    ways = (ways * (count - below)) / (below + 1);
  }
  return 1 - (2 * outside) / 2 ** count;
}

/**
 * Estimates the ratio of two lists of values: each value of one list divided by the other list's value of the same
 * round.
 */
export function ratioOf(these: readonly number[], those: readonly number[]): Estimate {
  return medianOf(these.map((value, round) => value / (those[round] ?? Number.NaN)));
}
