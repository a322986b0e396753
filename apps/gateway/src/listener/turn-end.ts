/**
 * Makes a function that returns a promise for the end of the current turn of the event loop: it resolves when all input
 * of the turn has been read. All callers of one turn get the same promise.
 */
export function createTurnEnd(): () => Promise<void> {
  let end: Promise<void> | null = null;
  return () => {
    end ??= new Promise((resolve) => {
      setImmediate(() => {
        end = null;
        resolve();
      });
    });
    return end;
  };
}
