import { readdirSync, readFileSync } from "node:fs";
import type { GatewayProcess } from "@insurance-gateway/running-gateway";

/** The resources of a gateway. */
export interface Footprint {
  /** The process's memory as Linux counts it. */
  readonly residentMegabytes: number;
  /**
   * The used part of V8's heap and the buffers outside of it. Resident memory also contains free pages, which V8 and
   * the allocator keep or give back whenever they choose.
   */
  readonly heldMegabytes: number;
  readonly descriptors: number;
}

/** Reads it from /proc and from the gateway's own metrics. */
export async function footprintOf({
  child,
  operationsAddress,
}: Pick<GatewayProcess, "child" | "operationsAddress">): Promise<Footprint> {
  const metrics = await (await fetch(`${operationsAddress}/metrics`)).text();
  const heldBytes =
    metricIn(metrics, "nodejs_heap_size_used_bytes") +
    metricIn(metrics, "nodejs_external_memory_bytes");
  return {
    residentMegabytes: residentMegabytesOf(Number(child.pid)),
    heldMegabytes: heldBytes / 1_048_576,
    descriptors: readdirSync(`/proc/${child.pid}/fd`).length,
  };
}

function metricIn(metrics: string, name: string): number {
  const [, value] = new RegExp(`^${name} (\\S+)$`, "m").exec(metrics) ?? [];
  if (value === undefined) throw new Error(`The gateway's metrics have no ${name}`);
  return Number(value);
}

/** The memory of a process as Linux counts it, in megabytes. */
export function residentMegabytesOf(pid: number): number {
  return megabytesIn(pid, "VmRSS");
}

/** The most memory that a process has had at one time since its start, in megabytes. */
export function peakMegabytesOf(pid: number): number {
  return megabytesIn(pid, "VmHWM");
}

function megabytesIn(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, kilobytes = ""] = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status) ?? [];
  return Number(kilobytes) / 1_024;
}

/** The samples of a part of the time, given as two shares of it. */
export function samplesBetween(
  samples: readonly Footprint[],
  from: number,
  to: number,
): readonly Footprint[] {
  return samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to));
}

/** The least that was held: what is held for a moment, such as memory that is about to be collected, does not count. */
export function leastOf(samples: readonly Footprint[], what: keyof Footprint): number {
  return Math.min(...samples.map((sample) => sample[what]));
}

/** The most that was held: a moment in which V8 has given memory back does not count. */
export function mostOf(samples: readonly Footprint[], what: keyof Footprint): number {
  return Math.max(...samples.map((sample) => sample[what]));
}
