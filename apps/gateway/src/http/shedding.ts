import { Refusal } from "@insurance-gateway/core/runtime";
import type { OverloadConfiguration } from "../configuration/file.ts";
import type { Time } from "../time.ts";

/** Refuses a share of the requests while this process is overloaded. */
export type LoadShedding = ReturnType<typeof startLoadShedding>;

/** The share of requests to refuse, and whether the last measured delay was too long. */
export interface SheddingLoad {
  /** Share of refused requests, from 0 (no request) to 1 (every request). */
  readonly share: number;
  readonly late: boolean;
}

/** Interval at which the refused share is computed, in milliseconds. */
const MEASURE_EVERY_MS = 200;
/** Maximum refused share: some requests are always accepted, to notice the end of the overload. */
const MAX_REFUSED_SHARE = 0.95;

/**
 * Returns the share of requests to refuse from now on. The share grows quickly with the delay of the event loop and
 * shrinks slowly, so that the gateway finds a steady load instead of accepting everything and nothing in turn. After
 * only one long delay, no request is refused.
 */
export function nextLoad(
  { late, share }: SheddingLoad,
  delayMs: number,
  limitMs: number,
): SheddingLoad {
  if (delayMs <= limitMs) return { late: false, share: Math.max(0, share - 0.02) };
  const more = late ? Math.min(0.2, (0.05 * delayMs) / limitMs) : 0;
  return { late: true, share: Math.min(MAX_REFUSED_SHARE, share + more) };
}

/**
 * Starts load shedding, which measures how late the event loop of this process is.
 * @param settings - returns the configured maximum delays
 * @param shed - called for every refused request
 * @param clock - the real clock of the process, even in a test that holds `time`
 */
export function startLoadShedding(
  settings: () => OverloadConfiguration,
  time: Time,
  shed: () => void,
  clock: () => number = () => performance.now(),
) {
  let load: SheddingLoad = { share: 0, late: false };
  let last = clock();
  const delayMs = (): number => clock() - last - MEASURE_EVERY_MS;
  const stop = time.every(MEASURE_EVERY_MS, async () => {
    load = nextLoad(load, delayMs(), settings().eventLoopDelayMs);
    last = clock();
  });
  // With many connections, one turn of the event loop can take seconds. Requests late in such a turn are refused before
  // the next measurement.
  const share = (): number =>
    delayMs() > 2 * settings().eventLoopDelayMs ? MAX_REFUSED_SHARE : load.share;
  return {
    /**
     * Throws a Refusal if the request must be refused.
     * @param waitedMs - time between the request's arrival and the beginning of the work on it, in milliseconds
     */
    admit(waitedMs: number): void {
      // The caller of a request that has waited too long has probably given up.
      if (waitedMs <= settings().longestWaitMs && Math.random() >= share()) return;
      shed();
      throw new Refusal("OVERLOADED", {
        detail: "The gateway is overloaded; nothing was sent to an insurer.",
        reason: "event_loop",
        headers: { "retry-after": "1" },
      });
    },
    stop,
  };
}
