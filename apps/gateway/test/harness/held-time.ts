import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { COUNT_INTERVAL_MS } from "../../src/submissions/store-clock.ts";
import type { Time } from "../../src/time.ts";

/** A clock that only the test advances, and timers that expire when the test says so. */
export interface HeldTime extends Time {
  /** The intervals of all timers, in milliseconds. */
  readonly intervals: readonly number[];
  /** The files of the stores whose running time passes with it. */
  readonly files: Set<string>;
  /** Lets time pass: moves the clock forward, in milliseconds. A gateway notices the running time with its next tick. */
  forward(milliseconds: number): void;
  /** Moves the clock, in milliseconds, although no time has passed. */
  jump(milliseconds: number): void;
  /** Lets time pass, in milliseconds, and the gateways count it, but do nothing else. */
  pass(milliseconds: number): Promise<void>;
  /** Runs the work of every timer once, in order, and waits for it. */
  tick(): Promise<void>;
}

/** Makes one that begins now. */
export function holdTime(): HeldTime {
  let now = Date.now();
  let jumped = 0;
  const works = new Map<() => Promise<void>, number>();
  const files = new Set<string>();
  const intervals: number[] = [];
  const time: HeldTime = {
    intervals,
    files,
    now: () => now + jumped,
    elapsed: () => now,
    every(milliseconds, work) {
      intervals.push(milliseconds);
      let underWay: Promise<unknown> = Promise.resolve();
      const begin = (): Promise<void> => {
        const begun = work();
        underWay = begun.catch(() => {});
        return begun;
      };
      works.set(begin, milliseconds);
      return async () => {
        works.delete(begin);
        await underWay;
      };
    },
    forward(milliseconds) {
      now += milliseconds;
      for (const file of files) passIn(file, milliseconds);
    },
    jump(milliseconds) {
      jumped += milliseconds;
    },
    async pass(milliseconds) {
      time.forward(milliseconds);
      for (const [work, interval] of works) if (interval === COUNT_INTERVAL_MS) await work();
    },
    async tick() {
      for (const work of works.keys()) await work();
    },
  };
  return time;
}

/** Lets the running time of a store pass; the gateway reads it when it counts the next time. */
function passIn(file: string, milliseconds: number): void {
  if (!existsSync(file)) return;
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(
    `UPDATE gateway_running_time SET passed = passed + ${milliseconds}, counted_at = counted_at + ${milliseconds}`,
  );
  database.close();
}
