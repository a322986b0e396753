/** A median with its confidence interval. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  /** How certain the interval is, between 0 and 1: at least 0.95 when there are six values or more. */
  readonly confidence: number;
}

/** The confidence level that a result needs. */
const CONFIDENCE = 0.95;

/**
 * Returns the median with its confidence interval: the narrowest pair of the sorted values, as far from the lowest as from
 * the highest, that contains the true median with at least 95 %. It assumes nothing about the distribution (each value is
 * above the true median with probability one half). Fewer than six values give the interval from the lowest to the highest.
 * @throws RangeError when there are no values
 */
export function medianOf(values: readonly number[]): Estimate {
  const sorted = values.toSorted((one, other) => one - other);
  const count = sorted.length;
  if (count === 0) throw new RangeError("No values have no median");
  const at = (rank: number): number => sorted[rank] ?? Number.NaN;
  let cut = 0;
  // The interval excludes this number of values on each side.
  while (cut + 1 < count / 2 && coverage(count, cut + 1) >= CONFIDENCE) cut += 1;
  return {
    median: (at(Math.floor((count - 1) / 2)) + at(Math.ceil((count - 1) / 2))) / 2,
    low: at(cut),
    high: at(count - 1 - cut),
    confidence: coverage(count, cut),
  };
}

/** Returns the probability that the true median is between the values that remain without `cut` values on each side. */
function coverage(count: number, cut: number): number {
  let ways = 1;
  let outside = 0;
  for (let below = 0; below <= cut; below += 1) {
    outside += ways;
    ways = (ways * (count - below)) / (below + 1);
  }
  return 1 - (2 * outside) / 2 ** count;
}

/** The estimate of each value of one row divided by the value of the same round in the other. */
export function ratioOf(these: readonly number[], those: readonly number[]): Estimate {
  return medianOf(these.map((value, round) => value / (those[round] ?? Number.NaN)));
}
