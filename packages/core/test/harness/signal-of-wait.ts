import type { CancellationSignal } from "../../src/index.ts";

/**
 * Returns a signal that calls `waits` when a call begins to wait for its next attempt, with the listener of the call.
 */
export function signalOfWait(waits: (listener: () => void) => void): CancellationSignal {
  let listeners = 0;
  return {
    aborted: false,
    // The transport adds the first listener for the request, the call adds the second for its wait.
    addEventListener: (_, listener) => void (++listeners === 2 && waits(listener)),
    removeEventListener: () => undefined,
  };
}
