import { readdirSync, readFileSync } from "node:fs";
import type { GatewayProcess } from "@insurance-gateway/running-gateway";

/** The resources that a gateway uses. */
export interface Footprint {
  /** Memory of the process, as Linux reports it. */
  readonly residentMegabytes: number;
  /**
   * The used part of V8's heap, and the buffers outside the heap. The resident memory also contains free pages, which
   * V8 and the allocator keep or release at any time.
   */
  readonly heldMegabytes: number;
  readonly descriptors: number;
}

/** Reads the resources from /proc and from the gateway's metrics. */
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

/** Returns the memory of a process, as Linux reports it, in megabytes. */
export function residentMegabytesOf(pid: number): number {
  return megabytesIn(pid, "VmRSS");
}

/** Returns the largest memory of a process since its start, in megabytes. */
export function peakMegabytesOf(pid: number): number {
  return megabytesIn(pid, "VmHWM");
}

function megabytesIn(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, kilobytes = ""] = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status) ?? [];
  return Number(kilobytes) / 1_024;
}

/** Returns the samples between two moments, each given as a share of the measured time. */
export function samplesBetween(
  samples: readonly Footprint[],
  from: number,
  to: number,
): readonly Footprint[] {
  return samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to));
}

/** Returns the smallest value of the samples, so that memory that V8 is about to release does not count. */
export function leastOf(samples: readonly Footprint[], what: keyof Footprint): number {
  return Math.min(...samples.map((sample) => sample[what]));
}

/** Returns the largest value of the samples, so that a moment in which V8 has released memory does not count. */
export function mostOf(samples: readonly Footprint[], what: keyof Footprint): number {
  return Math.max(...samples.map((sample) => sample[what]));
}
