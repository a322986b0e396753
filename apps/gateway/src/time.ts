import { setTimeout } from "node:timers/promises";

/** The clock and the timers of all scheduled work. Tests replace them. */
export interface Time {
  /** Returns the milliseconds since 1970. */
  now(): number;
  /** Returns the milliseconds since an unspecified instant; corrections of the system clock do not affect it. */
  elapsed(): number;
  /** Repeats work, with a pause of the given length after each run. Returns the function that stops the repetition. */
  every(milliseconds: number, work: () => Promise<void>): () => Promise<void>;
}

/** The system clock. */
export const systemTime: Time = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  every(milliseconds, work) {
    const stopped = new AbortController();
    const repeat = async (): Promise<void> => {
      try {
        for (;;) {
          await setTimeout(milliseconds, undefined, { signal: stopped.signal });
          await work();
        }
      } catch (error) {
        // A stop aborts the pause, which then throws this error.
        if (!stopped.signal.aborted) throw error;
      }
    };
    const ended = repeat();
    return () => {
      stopped.abort();
      return ended;
    };
  },
};
