import { Session } from "node:inspector/promises";
import { getHeapSpaceStatistics } from "node:v8";
import { isMainThread } from "node:worker_threads";

/** An order to the probe, by a message to the process. */
export type ProbeOrder = "heap" | "startCoverage" | "takeCoverage";

/** How often each function of a file ran since the coverage started, for each file but those of Node itself. */
export type CallCounts = readonly (readonly number[])[];

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
