/** Adds a callback to the batch of the current turn of the event loop. The callback must not throw. */
export type Together = (callback: () => void) => void;

/** Maximum number of callbacks in one step. Promises that these callbacks settle continue before the next step. */
const MAX_CALLBACKS_PER_STEP = 32;

/**
 * Creates a batch: callbacks that are added in one turn of the event loop are called in a row, after the event loop has
 * read the available data. The work that they start then proceeds in parallel steps, which costs less processor time
 * (docs/performance.md, "Batches").
 */
export function createTogether(): Together {
  let waiting: (() => void)[] = [];
  const callSome = (): void => {
    const now = waiting.slice(0, MAX_CALLBACKS_PER_STEP);
    waiting = waiting.slice(MAX_CALLBACKS_PER_STEP);
    if (waiting.length > 0) setImmediate(callSome);
    for (const callback of now) callback();
  };
  return (callback) => {
    if (waiting.push(callback) === 1) setImmediate(callSome);
  };
}
