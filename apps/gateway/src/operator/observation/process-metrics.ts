import { collectDefaultMetrics, Registry } from "prom-client";

/**
 * Starts to measure the process: processor time, memory, the event loop's lag and garbage collection. The metrics have
 * prom-client's usual names, which common dashboards know. The measurement cannot be stopped, so call this function
 * only once.
 */
export function createProcessMetrics(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
}
