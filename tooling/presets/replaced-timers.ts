/** Returns the clocks and timers of a process by name. */
export const timersNow = () => ({
  setTimeout,
  setInterval,
  Date,
  "performance.now": performance.now,
});

/** Returns the names of the clocks and timers that are no longer the given ones. */
export function replacedTimers(real: ReturnType<typeof timersNow>): readonly string[] {
  const now = Object.entries(timersNow());
  return now.flatMap(([name, one]) =>
    Object.entries(real).some(([, own]) => own === one) ? [] : [name],
  );
}
