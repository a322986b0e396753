import crypto from "node:crypto";
import { Session } from "node:inspector/promises";
import { syncBuiltinESMExports } from "node:module";
import {
  constants,
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
  PerformanceObserver,
} from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

/** What the probe is asked, by a message to the process. */
export type ProbeOrder =
  | "heap"
  | "collectYoung"
  | "collectAll"
  | "startCoverage"
  | "takeCoverage"
  | "startTokenHashes"
  | "takeTokenHashes";

/** How often each function of a file ran since the coverage started, for each file but those of Node itself. */
export type CallCounts = readonly (readonly number[])[];

/**
 * Bytes of new objects on the heap of the main thread, or of all objects after new garbage was collected; and how many
 * collections of garbage there were before, and how many of them were of old objects too.
 */
export interface HeapState {
  readonly bytes: number;
  readonly collections: number;
  readonly fullCollections: number;
}

/** Not the whole heap: there V8 frees old objects bit by bit, long after it has collected garbage. */
function youngBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name.startsWith("new_"))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

function isFull(entry: PerformanceEntry): boolean {
  // Node gives each entry of the type "gc" a detail, which its types do not have.
  const { detail } = entry as PerformanceEntry & { readonly detail: NodeGCPerformanceDetail };
  return detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** A JWT in compact form (RFC 7519). */
const TOKEN = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

// Loaded into the gateway's process with --import.
if (isMainThread && process.send !== undefined) {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  let collections = 0;
  let fullCollections = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      collections += 1;
      if (isFull(entry)) fullCollections += 1;
    }
  }).observe({ entryTypes: ["gc"] });
  let tokenHashes = 0;
  const { hash } = crypto;
  const countingHash = new Proxy(hash, {
    apply(target, self, parameters) {
      const [, content] = parameters;
      if (typeof content === "string" && TOKEN.test(content)) tokenHashes += 1;
      return Reflect.apply(target, self, parameters);
    },
  });
  const hashWith = (used: typeof hash): void => {
    crypto.hash = used;
    syncBuiltinESMExports();
  };
  process.on("message", (order: ProbeOrder) => {
    void answer(order).then((result) => process.send?.(result));
  });

  setFlagsFromString("--expose-gc");
  const collect: typeof globalThis.gc = runInNewContext("gc");
  const answer = async (order: ProbeOrder): Promise<HeapState | CallCounts | number> => {
    // What was observed of garbage collections arrives in a turn of its own, which can follow the next one.
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    if (order === "heap") return { bytes: youngBytes(), collections, fullCollections };
    if (order === "collectYoung") {
      // What is used still after a second one belongs to the old generation.
      for (let time = 0; time < 2; time += 1) collect?.({ type: "minor", execution: "sync" });
      return { bytes: process.memoryUsage().heapUsed, collections, fullCollections };
    }
    if (order === "collectAll") {
      collect?.({ type: "major", execution: "sync" });
      const { external, heapUsed } = process.memoryUsage();
      return { bytes: heapUsed + external, collections, fullCollections };
    }
    if (order === "startCoverage") {
      await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
      return [];
    }
    if (order === "startTokenHashes") {
      tokenHashes = 0;
      hashWith(countingHash);
      return tokenHashes;
    }
    if (order === "takeTokenHashes") {
      hashWith(hash);
      return tokenHashes;
    }
    const { result } = await session.post("Profiler.takePreciseCoverage");
    await session.post("Profiler.stopPreciseCoverage");
    return result
      .filter(({ url }) => url.startsWith("file:") && url !== import.meta.url)
      .map(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count ?? 0));
  };
}
