import { monitorEventLoopDelay } from "node:perf_hooks";
import { rounded } from "./percentile.ts";

/** How long the event loop was held, in milliseconds. */
export interface LoopFigures {
  readonly "held p99 ms": number;
  readonly "held p99.9 ms": number;
  readonly "held max ms": number;
}

/** Watches the event loop. */
export interface LoopWatch {
  /** Ends it and gives its figures. */
  stop(): LoopFigures;
}

const RESOLUTION_MS = 1;

/** Begins to watch, natively, so that the watching makes no work of its own for the garbage collector. */
export function watchLoop(): LoopWatch {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  // Nanoseconds between two looks, which are a resolution apart when nothing holds the loop.
  const held = (nanoseconds: number): number =>
    rounded(Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS));
  return {
    stop() {
      delay.disable();
      return {
        "held p99 ms": held(delay.percentile(99)),
        "held p99.9 ms": held(delay.percentile(99.9)),
        "held max ms": held(delay.max),
      };
    },
  };
}
