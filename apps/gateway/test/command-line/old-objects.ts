/** A process that replaces each of its old objects many times: it prints how often all garbage was collected. */
import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { configureGarbageCollection } from "../../src/command-line/garbage-collection.ts";

const LIVE = 400_000;
const REPLACED = 20 * LIVE;
const AT_ONCE = 20_000;

configureGarbageCollection(process.env);
let collections = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (isFullCollection(entry)) collections += 1;
}).observe({ entryTypes: ["gc"] });

const objects: object[] = [];
for (let index = 0; index < REPLACED; index += 1) {
  objects[index % LIVE] = { index, list: [index, index] };
  // Collections are reported between two turns of the event loop.
  if (index % AT_ONCE === 0) await setImmediate();
}
await setImmediate();
process.stdout.write(String(collections));

function isFullCollection(entry: PerformanceEntry): boolean {
  // Node's types do not name what an entry of a collection has.
  const { detail } = entry as PerformanceEntry & { readonly detail: { readonly kind: number } };
  return detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
