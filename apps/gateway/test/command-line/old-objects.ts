/** A process that replaces its old objects: it prints how many percent of them were replaced until all garbage was collected. */
import { PerformanceObserver } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  configureGarbageCollection,
  isFullCollection,
} from "../../src/command-line/garbage-collection.ts";

const LIVE = 400_000;
const AT_ONCE = 5_000;

setFlagsFromString("--expose-gc");
const collectAll: () => void = runInNewContext("gc");
configureGarbageCollection(process.env);
const seen = { collections: 0 };
new PerformanceObserver((list) => {
  seen.collections += list.getEntries().filter(isFullCollection).length;
}).observe({ entryTypes: ["gc"] });

const objects: object[] = [];
for (let index = 0; index < LIVE; index += 1) objects.push({ index, list: [index, index] });
// V8 computes at the end of each full collection when the next one is due.
collectAll();
// Collections are reported between two turns of the event loop.
while (seen.collections === 0) await setImmediate();
seen.collections = 0;
let replaced = 0;
while (seen.collections === 0 && replaced < 100 * LIVE) {
  for (let index = 0; index < AT_ONCE; index += 1)
    objects[replaced++ % LIVE] = { index, list: [index, index] };
  await setImmediate();
}
process.stdout.write(String((replaced / LIVE) * 100));
