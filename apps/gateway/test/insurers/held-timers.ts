import { onTestFinished, vi } from "vitest";

/**
 * Options of vitest's `expect.poll`, which advances fake timers by its interval. The interval 0 leaves the timers
 * unchanged.
 */
export const HELD = { interval: 0 };

/** Stops the clock and the timers of this process, including the gateway's, until the test ends. */
export function holdTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
}
