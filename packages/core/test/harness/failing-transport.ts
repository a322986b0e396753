import { onTestFinished } from "vitest";
import { createTransport, type Transport, type TransportError } from "../../src/transport/index.ts";

/** Returns a transport whose first requests fail with the given errors. Later requests use the real transport. */
export function failingTransport(...failures: readonly TransportError[]): Transport & {
  /** Returns the number of requests. */
  sends(): number;
} {
  const real = createTransport();
  let sends = 0;
  onTestFinished(() => real.close());
  return {
    sends: () => sends,
    send(request) {
      const failure = failures[sends++];
      return failure === undefined ? real.send(request) : Promise.reject(failure);
    },
    close: () => real.close(),
  };
}
