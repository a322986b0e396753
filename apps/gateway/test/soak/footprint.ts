import { readdirSync, readFileSync } from "node:fs";

/** What a process holds. */
export interface Footprint {
  readonly residentMegabytes: number;
  readonly descriptors: number;
}

/** Reads it from /proc. */
export function footprintOf(pid: number): Footprint {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, kilobytes = ""] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return {
    residentMegabytes: Number(kilobytes) / 1_024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** The most memory that a process has had at one time since its start, in megabytes. */
export function peakMegabytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, kilobytes = ""] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return Number(kilobytes) / 1_024;
}

/**
 * The least that was held in a part of the time, given as two shares of it: what is held for a moment, such as memory
 * that is about to be collected, does not count.
 */
export function leastBetween(samples: readonly Footprint[], from: number, to: number): Footprint {
  const part = samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to));
  return {
    residentMegabytes: Math.min(...part.map(({ residentMegabytes }) => residentMegabytes)),
    descriptors: Math.min(...part.map(({ descriptors }) => descriptors)),
  };
}
