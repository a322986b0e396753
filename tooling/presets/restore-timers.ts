/** Returns the clocks and timers of a process by name. */
export const timersNow = () => ({
  setTimeout,
  setInterval,
  Date,
  now: Reflect.get(performance, "now"),
});

/**
 * Restores the clocks and timers that a test file has left replaced.
 * @param real - the clocks and timers before the test file
 * @throws Error with the names of those that were replaced, if there are any
 */
export function restoreTimers(real: ReturnType<typeof timersNow>): void {
  const owned: readonly unknown[] = Object.values(real);
  const replaced = Object.entries(timersNow()).flatMap(([name, one]) =>
    owned.includes(one) ? [] : [name],
  );
  const { now, ...timers } = real;
  Object.assign(globalThis, timers);
  Object.assign(performance, { now });
  if (replaced.length === 0) return;
  throw new Error(
    `This test file leaves fakes of ${replaced.join(", ")}. Restore them at the end of each test, and never spy on a fake timer.`,
  );
}
