/** Milliseconds since 1970 with their fractions, which the processes of one machine agree about. */
export function clock(): number {
  return performance.timeOrigin + performance.now();
}
