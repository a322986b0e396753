import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { COUNT_INTERVAL_MS } from "../../src/submissions/store-clock.ts";
import type { Time } from "../../src/time.ts";

/** A clock and timers that only the test advances. */
export interface HeldTime extends Time {
  /** The intervals of all timers, in milliseconds. */
  readonly intervals: readonly number[];
  /** The files of the stores whose running time passes together with the clock. */
  readonly files: Set<string>;
  /** Lets time pass: moves the clock forward. At its next tick, a gateway counts this time as running time. */
  forward(milliseconds: number): void;
  /** Sets the clock forward or back without letting time pass, as a corrected system clock does. */
  jump(milliseconds: number): void;
  /** Lets time pass, and the gateways' stores count this time as running time. No timer runs. */
  pass(milliseconds: number): Promise<void>;
  /** Runs the work of every timer once, in order, and waits until the work has ended. */
  tick(): Promise<void>;
}

/** Creates a clock that starts at the present time and that only the test advances. */
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

/** Adds running time to a store's file. The gateway reads this running time again before its next addition. */
function passIn(file: string, milliseconds: number): void {
  if (!existsSync(file)) return;
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(
    `UPDATE gateway_running_time SET passed = passed + ${milliseconds}, counted_at = counted_at + ${milliseconds}`,
  );
  database.close();
}
