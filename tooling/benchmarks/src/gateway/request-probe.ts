import { Session } from "node:inspector/promises";
import { getHeapSpaceStatistics } from "node:v8";
import { isMainThread } from "node:worker_threads";

/** A message of the benchmark to the probe, which counts calls and allocations in the gateway's process. */
export type ProbeOrder = "heap" | "startCoverage" | "takeCoverage";

/** The call counts of each function since the start of the coverage, by file, without Node.js's own files. */
export type CallCounts = readonly (readonly number[])[];

/**
 * Returns the bytes of V8's young generation. In the whole heap, V8 frees old objects long after a garbage collection.
 */
function youngBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name.startsWith("new_"))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

// Node.js loads this module into the gateway's process with --import.
if (isMainThread && process.send !== undefined) {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  const answer = async (order: ProbeOrder): Promise<number | CallCounts> => {
    if (order === "heap") return youngBytes();
    if (order === "startCoverage") {
      await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
      return [];
    }
    const { result } = await session.post("Profiler.takePreciseCoverage");
    await session.post("Profiler.stopPreciseCoverage");
    return result
      .filter(({ url }) => url.startsWith("file:") && url !== import.meta.url)
      .map(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count ?? 0));
  };
  process.on("message", (order: ProbeOrder) => {
    void answer(order).then((result) => process.send?.(result));
  });
}
