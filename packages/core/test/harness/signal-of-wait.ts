import type { CancellationSignal } from "../../src/index.ts";

/** Returns a signal that calls `waits` with the listener of a call that waits for its next attempt. */
export function signalOfWait(waits: (listener: () => void) => void): CancellationSignal {
  let listeners = 0;
  return {
    aborted: false,
    // The transport adds the first listener for the request, the call adds the second for its wait.
    addEventListener: (_, listener) => void (++listeners === 2 && waits(listener)),
    removeEventListener: () => undefined,
  };
}
