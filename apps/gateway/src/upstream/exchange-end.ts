import type { ExchangeEnd } from "@insurance-gateway/core/transport";

/** Remembers how an exchange ended, for listeners from before its end and after it. */
export interface WatchedEnd {
  /** For the transport, which calls it once. */
  readonly ended: (end: ExchangeEnd) => void;
  /** Reports the end to a listener once, also if it was before. */
  readonly whenEnded: (listener: (end: ExchangeEnd) => void) => void;
}

/** Makes one that waits for the end. */
export function watchEnd(): WatchedEnd {
  let known: ExchangeEnd | null = null;
  const listeners: ((end: ExchangeEnd) => void)[] = [];
  return {
    ended(end) {
      known = end;
      for (const listener of listeners.splice(0)) report(end, listener);
    },
    whenEnded(listener) {
      if (known === null) listeners.push(listener);
      else report(known, listener);
    },
  };
}

/**
 * Calls a listener. What it throws is the gateway's own fault, and none of the transport's, which would not finish the
 * answer: it is thrown later, as an uncaught error.
 */
function report(end: ExchangeEnd, listener: (end: ExchangeEnd) => void): void {
  try {
    listener(end);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
