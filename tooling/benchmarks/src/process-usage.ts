import { readdirSync, readFileSync } from "node:fs";

/** The resources that a process used during a watch. */
export interface Usage {
  /** Percent of one core: two busy threads use 200. */
  readonly cpuPercent: number;
  /** Resident memory in MB, at the start and at its maximum. */
  readonly memoryBefore: number;
  readonly memoryPeak: number;
}

/** A running observation of a process. */
export interface UsageWatch {
  stop(): Usage;
}

const WATCH_INTERVAL_MS = 200;
/** The unit of times in /proc/PID/stat, the same on every Linux. */
const TICKS_PER_SECOND = 100;

/** Starts to watch a process through Linux's /proc. */
export function watchUsage(pid: number): UsageWatch {
  const begun = performance.now();
  const ticksBefore = ticksOf(pid);
  const memoryBefore = memoryOf(pid);
  let memoryPeak = memoryBefore;
  const looking = setInterval(() => {
    memoryPeak = Math.max(memoryPeak, memoryOf(pid));
  }, WATCH_INTERVAL_MS);
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
 * Returns the processor time of all live threads of a process in microseconds, from Linux's scheduler: the counters of
 * `ticksOf` advance in steps of 10 ms. Threads that have ended are not counted.
 */
export function processorUs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  let nanoseconds = 0;
  for (const thread of readdirSync(tasks))
    nanoseconds += Number(readFileSync(`${tasks}/${thread}/schedstat`, "latin1").split(" ")[0]);
  return nanoseconds / 1_000;
}

/** Returns the time in user and system mode in ticks: fields 14 and 15 of proc_pid_stat(5). */
function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** Returns the resident memory of a process in MB. */
export function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}
