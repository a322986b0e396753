/** Returns the percentile of the values for a part from 0 to 1, with two decimal places; 0 for an empty list. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
}

/** Rounds to two decimal places. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
