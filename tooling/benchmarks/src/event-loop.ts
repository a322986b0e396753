import { setImmediate, setTimeout } from "node:timers/promises";

/** How long single turns of the event loop took, in milliseconds. */
export interface LoopFigures {
  readonly "turn p99 ms": number;
  readonly "turn max ms": number;
  readonly "turns over 5 ms": number;
  /** The same in time that the thread really ran: what the machine gave to other processes is not in it. */
  readonly "longest run ms": number;
}

/** Watches the turns of the event loop. */
export interface LoopWatch {
  /** Ends it and gives its figures. */
  stop(): Promise<LoopFigures>;
}

/** Begins to watch: every turn's active time, without what the loop waits, and the time its thread ran. */
export function watchLoop(): LoopWatch {
  const turns: number[] = [];
  let longestRun = 0;
  const stopped = new AbortController();
  const watch = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const { active } = performance.eventLoopUtilization();
      const { system, user } = process.threadCpuUsage();
      await setTimeout(0);
      await setImmediate();
      const ran = process.threadCpuUsage();
      turns.push(performance.eventLoopUtilization().active - active);
      longestRun = Math.max(longestRun, (ran.user - user + ran.system - system) / 1_000);
    }
  };
  const watched = watch();
  return {
    async stop() {
      stopped.abort();
      await watched;
      const sorted = turns.toSorted((one, other) => one - other);
      return {
        "turn p99 ms": rounded(sorted[Math.floor(sorted.length * 0.99)] ?? 0),
        "turn max ms": rounded(sorted.at(-1) ?? 0),
        "turns over 5 ms": sorted.filter((milliseconds) => milliseconds > 5).length,
        "longest run ms": rounded(longestRun),
      };
    },
  };
}

/** To two places. */
export function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
