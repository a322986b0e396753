import { collectDefaultMetrics, Registry } from "prom-client";

/**
 * Watches the process: processor time, memory, the event loop's lag, garbage collection. The names are the usual ones,
 * without a prefix, so that common dashboards know them. It runs until the process ends: a process does it once.
 */
export function createProcessMetrics(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
}
