import { randomFillSync } from "node:crypto";

/** Random bytes that are drawn many at once. */
export interface RandomPool {
  readonly bytes: Buffer<ArrayBuffer>;
  /**
   * Takes some bytes, which nobody else gets: at most 4,096.
   * @returns where they begin in `bytes`; they stay there until the next ones are taken
   * @throws RangeError for more
   */
  readonly take: (count: number) => number;
}

/** So many are drawn at once. Drawing the bytes of each id or nonce alone takes 20 to 40 times as long. */
const POOL_BYTES = 4_096;

/** Makes a pool. */
export function createRandomPool(): RandomPool {
  const bytes = Buffer.alloc(POOL_BYTES);
  let used = bytes.length;
  return {
    bytes,
    take(count) {
      if (count > bytes.length) throw new RangeError(`At most ${bytes.length} bytes at once`);
      if (used + count > bytes.length) {
        randomFillSync(bytes);
        used = 0;
      }
      used += count;
      return used - count;
    },
  };
}
