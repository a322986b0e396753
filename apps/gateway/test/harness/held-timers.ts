import { onTestFinished, vi } from "vitest";

/**
 * Options of vitest's `expect.poll`, which advances fake timers by its interval. The interval 0 leaves the timers
 * unchanged.
 */
export const HELD = { interval: 0 };

type HeldFunction = "setTimeout" | "clearTimeout" | "setInterval" | "clearInterval" | "performance";

/**
 * Stops the clock and the timers of this process, including the gateway's, until the test ends. The test advances them
 * with `vi.advanceTimersByTime`.
 * @param functions - the functions to stop
 */
export function holdTimers(
  functions: readonly HeldFunction[] = ["setTimeout", "clearTimeout", "performance"],
): void {
  vi.useFakeTimers({ toFake: [...functions] });
  onTestFinished(() => void vi.useRealTimers());
}
