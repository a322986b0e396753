import { setTimeout } from "node:timers/promises";

/** The clock and the timers of everything that is scheduled, so that a test can hold them. */
export interface Time {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some instant, which no correction of the clock changes. */
  elapsed(): number;
  /** Does something again and again; the next wait begins when it has ended. Gives how to stop it. */
  every(milliseconds: number, work: () => Promise<void>): () => Promise<void>;
}

/** The clock on the wall. */
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
        // The wait was ended, which is how it stops.
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
