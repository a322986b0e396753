/** Returns the value below which a part of all values is, to two places; 0 for no values. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
}

/** To two places. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
