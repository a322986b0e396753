import type { ExchangeEnd } from "@insurance-gateway/core/transport";

/** Remembers how an exchange ended, for listeners from before its end and after it. */
export interface WatchedEnd {
  /** For the transport, which calls it once. */
  readonly ended: (end: ExchangeEnd) => void;
  /** Reports the end to a listener once, also if it was before. It must not throw: the transport would not finish the answer. */
  readonly whenEnded: (listener: (end: ExchangeEnd) => void) => void;
}

/** Makes one that waits for the end. */
export function watchEnd(): WatchedEnd {
  let known: ExchangeEnd | null = null;
  const listeners: ((end: ExchangeEnd) => void)[] = [];
  return {
    ended(end) {
      known = end;
      for (const listener of listeners.splice(0)) listener(end);
    },
    whenEnded(listener) {
      if (known === null) listeners.push(listener);
      else listener(known);
    },
  };
}
