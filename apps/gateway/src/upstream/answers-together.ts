import type { ConnectionTransport } from "@insurance-gateway/core/transport";

/** So many answers go on in one step. */
const TOGETHER = 32;

/** Waits until the event loop has read what it can, and goes on with the others that wait. */
export type GoOnTogether = () => Promise<void>;

interface Group {
  readonly start: Promise<void>;
  size: number;
}

/** Makes a wait. Those that have waited go on in the order in which they came. */
export function createGoOnTogether(): GoOnTogether {
  let group: Group | null = null;
  return () => {
    if (group === null || group.size === TOGETHER) {
      const { promise: start, resolve } = Promise.withResolvers<void>();
      const opened: Group = { start, size: 0 };
      group = opened;
      setImmediate(() => {
        if (group === opened) group = null;
        resolve();
      });
    }
    group.size += 1;
    return group.start;
  };
}

/**
 * Has the answers of a transport that have come at the same time go on together: each part of their way is then walked by
 * several of them in a row, and the processor has its code and data in its caches.
 */
export function answersTogether(
  transport: ConnectionTransport,
  goOnTogether: GoOnTogether,
): ConnectionTransport {
  return {
    ...transport,
    async send(request) {
      const response = await transport.send(request);
      await goOnTogether();
      return response;
    },
  };
}
