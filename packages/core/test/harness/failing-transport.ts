import { onTestFinished } from "vitest";
import { createTransport, type Transport, type TransportError } from "../../src/transport/index.ts";

/** A transport whose first sends fail with these errors before they reach the real one. */
export function failingTransport(...failures: readonly TransportError[]): Transport & {
  /** How often a request was to be sent. */
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
