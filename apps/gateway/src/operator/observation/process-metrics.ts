import { collectDefaultMetrics, Registry } from "prom-client";

/**
 * Measures the process: processor time, memory, the event loop's lag, garbage collection. The names are the usual ones
 * without a prefix, so that common dashboards recognise them. The measurement runs until the process ends, so a process
 * starts it only once.
 */
export function createProcessMetrics(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
}
