import { readdirSync, readFileSync } from "node:fs";

/** The resources that a process used while it was watched. */
export interface Usage {
  /** The use of one core, in percent: two busy threads are 200. */
  readonly cpuPercent: number;
  /** Resident memory in MB, at the beginning and at most. */
  readonly memoryBefore: number;
  readonly memoryPeak: number;
}

/** Watches a process. */
export interface UsageWatch {
  stop(): Usage;
}

const LOOK_EVERY_MS = 200;
/** The unit of /proc/PID/stat, on every Linux there is. */
const TICKS_PER_SECOND = 100;

/** Begins to watch a process, by what Linux tells in /proc. */
export function watchUsage(pid: number): UsageWatch {
  const begun = performance.now();
  const ticksBefore = ticksOf(pid);
  const memoryBefore = memoryOf(pid);
  let memoryPeak = memoryBefore;
  const looking = setInterval(() => {
    memoryPeak = Math.max(memoryPeak, memoryOf(pid));
  }, LOOK_EVERY_MS);
  return {
    stop() {
      clearInterval(looking);
      const seconds = (performance.now() - begun) / 1_000;
      const busy = (ticksOf(pid) - ticksBefore) / TICKS_PER_SECOND;
      return { cpuPercent: Math.round((busy / seconds) * 100), memoryBefore, memoryPeak };
    },
  };
}

/**
 * The processor time that all threads of a process have used so far, in microseconds, from Linux's scheduler: the counters
 * of the other function advance in steps of 10 ms. A thread that has ended is not counted.
 */
export function processorUs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  let nanoseconds = 0;
  for (const thread of readdirSync(tasks))
    nanoseconds += Number(readFileSync(`${tasks}/${thread}/schedstat`, "latin1").split(" ")[0]);
  return nanoseconds / 1_000;
}

/** Time in user and system mode, in ticks: proc_pid_stat(5), fields 14 and 15, counted from the one after the name. */
function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** The resident memory of a process, in MB. */
export function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}
