/** A generation in use, with the function that returns it. */
export interface Held<T> {
  readonly value: T;
  /** Call it once, at the end. */
  readonly release: () => void;
}

/**
 * Generations of something that is used for a while, such as the settings of a request: a user keeps the one that it
 * took, and later users take the newest. A generation that was replaced is closed when its last user has released it.
 */
export interface Generations<T> {
  readonly current: () => T;
  takeGeneration(): Held<T>;
  replace(next: T): void;
  /** Closes the current generation, and waits until every earlier one is closed. */
  close(): Promise<void>;
}

interface Generation<T> {
  readonly value: T;
  users: number;
  isReplaced: boolean;
}

/** Begins with a first generation. */
export function createGenerations<T extends { close(): Promise<void> }>(first: T): Generations<T> {
  let newest: Generation<T> = { value: first, users: 0, isReplaced: false };
  const closing = new Set<Promise<void>>();

  function closeUnused(generation: Generation<T>): void {
    if (!generation.isReplaced || generation.users > 0) return;
    const closed = generation.value.close().finally(() => closing.delete(closed));
    closing.add(closed);
  }

  function retire(generation: Generation<T>): void {
    generation.isReplaced = true;
    closeUnused(generation);
  }

  return {
    current: () => newest.value,
    takeGeneration() {
      const taken = newest;
      taken.users += 1;
      return {
        value: taken.value,
        release() {
          taken.users -= 1;
          closeUnused(taken);
        },
      };
    },
    replace(next) {
      const replaced = newest;
      newest = { value: next, users: 0, isReplaced: false };
      retire(replaced);
    },
    async close() {
      retire(newest);
      await Promise.all(closing);
    },
  };
}
