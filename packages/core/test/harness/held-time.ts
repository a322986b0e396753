import { onTestFinished, vi } from "vitest";

/** Stops timers and `performance.now()` for the rest of the test, which moves them on itself; connections work on. */
export function holdTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
}
