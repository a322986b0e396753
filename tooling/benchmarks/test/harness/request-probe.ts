import { Session } from "node:inspector/promises";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

/** What the probe is asked, by a message to the process. */
export type ProbeOrder = "heap" | "collectYoung" | "startCoverage" | "takeCoverage";

/** How often each function ran since the coverage started, without those of Node itself. */
export type CallCounts = readonly number[];

/**
 * Bytes of new objects on the heap of the main thread, or of all objects after new garbage was collected; and how many
 * collections of garbage there were before.
 */
export interface HeapState {
  readonly bytes: number;
  readonly collections: number;
}

/** Not the whole heap: there V8 frees old objects bit by bit, long after it has collected garbage. */
function youngBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name.startsWith("new_"))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

// Loaded into the gateway's process with --import.
if (isMainThread && process.send !== undefined) {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  let collections = 0;
  new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  }).observe({ entryTypes: ["gc"] });
  process.on("message", (order: ProbeOrder) => {
    void answer(order).then((result) => process.send?.(result));
  });

  setFlagsFromString("--expose-gc");
  const collect: typeof globalThis.gc = runInNewContext("gc");
  const answer = async (order: ProbeOrder): Promise<HeapState | CallCounts> => {
    // What was observed of garbage collections arrives in a turn of its own, which can follow the next one.
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    if (order === "heap") return { bytes: youngBytes(), collections };
    if (order === "collectYoung") {
      // What is used still after a second one belongs to the old generation.
      for (let time = 0; time < 2; time += 1) collect?.({ type: "minor", execution: "sync" });
      return { bytes: process.memoryUsage().heapUsed, collections };
    }
    if (order === "startCoverage") {
      await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
      return [];
    }
    const { result } = await session.post("Profiler.takePreciseCoverage");
    await session.post("Profiler.stopPreciseCoverage");
    return result
      .filter(({ url }) => url.startsWith("file:") && url !== import.meta.url)
      .flatMap(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count ?? 0));
  };
}
