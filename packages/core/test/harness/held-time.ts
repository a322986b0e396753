import { onTestFinished, vi } from "vitest";

/** Stops timers and `performance.now()` for the rest of the test, which advances them. Connections still work. */
export function holdTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
}
