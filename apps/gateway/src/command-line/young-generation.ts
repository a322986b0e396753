import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/**
 * The limit of V8's memory for new objects. By itself it grows to twice as much under load. Measured with 50 connections:
 * half of that takes 1 % more processor time, and 202 MB of memory instead of 227 for lookups from memory, 304 instead of
 * 395 for quotes. A quarter takes 9 % more processor time.
 */
const MOST_BYTES = 32 * 1_048_576;

/**
 * Configures how V8 stores new objects.
 *
 * V8 does not predict their lifetime. By default, it creates an object in the old generation if earlier objects from the
 * same place in the code were needed for long. Everything that the object refers to, such as an insurer's answer, then
 * stays in memory until all garbage is collected. Without the prediction, a list of 29 kB takes 21 % less processor time.
 * V8 still creates some objects in the old generation, such as the getters of object literals.
 *
 * The memory for new objects grows up to about a limit: its size is read after a collection, which may have passed it by
 * one step. V8 reads the limit of its own only when a process starts, but the factor of its growth each time; it may
 * shrink when the gateway is idle, and must grow again then.
 */
export function configureYoungGeneration(
  environment: Readonly<Record<string, string | undefined>>,
): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
  let factor = 2;
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  // The operator's own setting is respected.
  const options = [...process.execArgv, environment.NODE_OPTIONS].join(" ").replaceAll("_", "-");
  if (options.includes("semi-space-size")) return;
  new PerformanceObserver(() => {
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    const next = space === undefined || space.space_size < MOST_BYTES ? 2 : 1;
    if (next !== factor) setFlagsFromString(`--semi-space-growth-factor=${next}`);
    factor = next;
  }).observe({ entryTypes: ["gc"] });
}
