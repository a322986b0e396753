import { onTestFinished, vi } from "vitest";

/** Replaces the timers and `performance.now()` by a clock that only the test advances. Connections still work. */
export function holdTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
}
