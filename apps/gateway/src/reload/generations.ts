/** A generation's value for one user, such as a request, with the function that ends the use. */
export interface AcquiredGeneration<T> {
  readonly value: T;
  /** Ends the use of the generation. Call this function only once. */
  readonly release: () => void;
}

/**
 * Generations of a replaceable value, such as the settings. A user, such as a request, keeps the same generation, and
 * later users receive the newest generation. A replaced generation is closed when the last user has released it.
 */
export interface Generations<T> {
  readonly current: () => T;
  acquireGeneration(): AcquiredGeneration<T>;
  replace(next: T): void;
  /** Closes the current generation and waits until all earlier generations are closed. */
  close(): Promise<void>;
}

interface Generation<T> {
  readonly value: T;
  users: number;
  isReplaced: boolean;
}

/** Creates generations, beginning with one value. */
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
    acquireGeneration() {
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
