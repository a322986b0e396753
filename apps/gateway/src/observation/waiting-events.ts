/** Events that wait until they are handled together. */
export interface WaitingEvents<Event> {
  add(event: Event): void;
  /** Handles those that wait, in the order in which they came. */
  handle(): void;
}

/** So many wait at most: enough to share the loading of the code, and few enough to be handled in 0.2 ms. */
const MOST_WAITING = 64;

/** Makes events wait, so that the code that handles them is loaded once for many. */
export function createWaitingEvents<Event>(handle: (event: Event) => void): WaitingEvents<Event> {
  let waiting: Event[] = [];
  const handleAll = (): void => {
    const events = waiting;
    waiting = [];
    for (const event of events) handle(event);
  };
  return {
    add(event) {
      waiting.push(event);
      if (waiting.length >= MOST_WAITING) handleAll();
    },
    handle: handleAll,
  };
}
