/** Events that wait until they are handled together. */
export interface WaitingEvents<Observed> {
  add(event: Observed): void;
  /** Handles those that wait, in the order in which they came. */
  handle(): void;
}

/** Once so many wait, they are handled: 64 requests are counted in 0.1 ms. */
const HANDLED_FROM = 64;

/**
 * Makes events wait. Handled several at a time, they take less processor time, probably because the processor loads the code once
 * for all. If each request was counted at once, a lookup from memory took 1.03 (0.98 to 1.08) and 1.08 times (1.05 to 1.12) as long in
 * two comparisons (21 and 31 interleaved rounds, 2026-11-28).
 * @param handle - must not throw: the events after the one that it throws for would be lost
 */
export function createWaitingEvents<Observed>(
  handle: (event: Observed) => void,
): WaitingEvents<Observed> {
  let waiting: Observed[] = [];
  const handleAll = (): void => {
    const events = waiting;
    waiting = [];
    for (const event of events) handle(event);
  };
  return {
    add(event) {
      waiting.push(event);
      if (waiting.length >= HANDLED_FROM) handleAll();
    },
    handle: handleAll,
  };
}
