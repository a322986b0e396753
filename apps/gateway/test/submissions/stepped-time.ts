import type { Time } from "../../src/time.ts";

/** A clock that the test moves. `step` starts the scheduled tasks that are due, and does not wait for their ends. */
export interface SteppedTime extends Time {
  /** Moves the clock forward, in milliseconds, and starts the tasks that are due and not running. */
  step(milliseconds: number): void;
  /** Returns the number of running tasks. */
  running(): number;
}

/** Creates a clock that starts at the current time. */
export function createSteppedTime(): SteppedTime {
  let now = Date.now();
  let running = 0;
  const timers = new Set<{ dueAt: number | null; start(): void }>();
  return {
    now: () => now,
    elapsed: () => now,
    running: () => running,
    every(milliseconds, work) {
      const ended = (): void => {
        running -= 1;
        timer.dueAt = now + milliseconds;
      };
      let last: Promise<void> = Promise.resolve();
      const timer = {
        // `dueAt` is null while the task is running.
        dueAt: (now + milliseconds) as number | null,
        start() {
          running += 1;
          timer.dueAt = null;
          last = work().finally(ended);
        },
      };
      timers.add(timer);
      return async () => {
        timers.delete(timer);
        await last;
      };
    },
    step(milliseconds) {
      now += milliseconds;
      for (const timer of timers) if (timer.dueAt !== null && timer.dueAt <= now) timer.start();
    },
  };
}
