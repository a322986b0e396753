/** Returns the clocks and timers of a process by name. */
export const timersNow = () => ({
  setTimeout,
  setInterval,
  Date,
  now: Reflect.get(performance, "now"),
});

/** Returns the names of the clocks and timers that are no longer the given ones. */
export function replacedTimers(real: ReturnType<typeof timersNow>): readonly string[] {
  const owned: readonly unknown[] = Object.values(real);
  return Object.entries(timersNow()).flatMap(([name, one]) => (owned.includes(one) ? [] : [name]));
}
