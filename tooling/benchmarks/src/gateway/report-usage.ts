import { isMainThread } from "node:worker_threads";

/** What a process that is measured reports of itself. */
export interface ProcessReport {
  /** Processor time of all its threads since its start, in microseconds. */
  readonly processorUs: number;
  /** Resident memory in bytes. */
  readonly memory: number;
}

// Loaded into each process that is measured: what Linux reports in /proc counts in steps of 10 ms.
if (isMainThread && process.send !== undefined) {
  process.on("message", (order) => {
    if (order !== "report") return;
    const { system, user } = process.cpuUsage();
    const report: ProcessReport = { processorUs: user + system, memory: process.memoryUsage.rss() };
    process.send?.({ report });
  });
  // Without the benchmark nothing would end it.
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  // It must not keep a process that has nothing else to do.
  process.channel?.unref();
}
