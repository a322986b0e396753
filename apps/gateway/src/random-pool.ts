import { randomFillSync } from "node:crypto";

/** Random bytes that are drawn many at once. */
export interface RandomPool {
  readonly bytes: Buffer<ArrayBuffer>;
  /**
   * Takes some bytes, which nobody else gets.
   * @returns where they begin in `bytes`; they stay there until the next ones are taken
   */
  take(count: number): number;
}

/** So many are drawn at once: for the few bytes of an id or a nonce, that takes 20 to 40 times as long as all the rest. */
const POOL_BYTES = 4_096;

/** Makes a pool. */
export function createRandomPool(): RandomPool {
  const bytes = Buffer.alloc(POOL_BYTES);
  let used = bytes.length;
  return {
    bytes,
    take(count) {
      if (used + count > bytes.length) {
        randomFillSync(bytes);
        used = 0;
      }
      used += count;
      return used - count;
    },
  };
}
