import type { Time } from "../../src/time.ts";

/** A clock that stands still until the test moves it, and timers that go off when the test says so. */
export interface HeldTime extends Time {
  /** The intervals of all timers, in milliseconds. */
  readonly intervals: readonly number[];
  /** Moves the clock forward, in milliseconds. */
  forward(milliseconds: number): void;
  /** Runs the work of every timer once, in order, and waits for it. */
  tick(): Promise<void>;
}

/** Makes one that begins now. */
export function holdTime(): HeldTime {
  let now = Date.now();
  const works = new Set<() => Promise<void>>();
  const intervals: number[] = [];
  return {
    intervals,
    now: () => now,
    elapsed: () => now,
    every(milliseconds, work) {
      intervals.push(milliseconds);
      let underWay: Promise<unknown> = Promise.resolve();
      const begin = (): Promise<void> => {
        const begun = work();
        underWay = begun.catch(() => {});
        return begun;
      };
      works.add(begin);
      return async () => {
        works.delete(begin);
        await underWay;
      };
    },
    forward(milliseconds) {
      now += milliseconds;
    },
    async tick() {
      for (const work of works) await work();
    },
  };
}
