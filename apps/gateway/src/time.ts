import { setTimeout } from "node:timers/promises";

/** Clock and timers of all scheduled work, which tests replace. */
export interface Time {
  /** Returns the milliseconds since 1970. */
  now(): number;
  /** Returns the milliseconds since an unspecified instant; corrections of the system clock do not affect it. */
  elapsed(): number;
  /** Repeats work; the pause begins when the work has ended. Returns the function that stops it. */
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
        // Stopping aborts the pause with this error.
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
