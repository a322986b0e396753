/** Has work done after the work that was added before it. The work must not throw: what is added after it would be lost. */
export type Row = (work: () => void) => void;

/** So much work is done before the promises that it settles go on. */
const MOST_IN_A_ROW = 32;

/**
 * Creates a row. What is added in one turn of the event loop is done together, when the event loop has read what it can. The
 * promises that it settles then go on side by side: each part of their way is walked by several of them, and the processor
 * has its code and data in its caches.
 */
export function createRow(): Row {
  let row: (() => void)[] | null = null;
  return (work) => {
    if (row === null || row.length === MOST_IN_A_ROW) {
      const opened: (() => void)[] = [];
      row = opened;
      setImmediate(() => {
        if (row === opened) row = null;
        for (const one of opened) one();
      });
    }
    row.push(work);
  };
}
