import { Refusal } from "@insurance-gateway/core/runtime";
import type { OverloadConfiguration } from "../configuration/file.ts";
import type { Time } from "../time.ts";

/** Refuses a share of the requests while the process is overloaded. */
export type Shedding = ReturnType<typeof startShedding>;

/** How much is refused, and whether the delay was too long when it was last looked at. */
export interface Load {
  /** From 0 for nothing. */
  readonly share: number;
  readonly late: boolean;
}

/** How often the share is computed again. */
const EVERY_MS = 200;
/** Some requests are always taken: without them nobody would see that it is over. */
const LARGEST_SHARE = 0.95;

/**
 * Returns the share of requests to refuse from now on. The share grows quickly with the delay and shrinks slowly, so that
 * the gateway settles where it does all it can, instead of switching between everything and nothing. One long pause alone
 * refuses nothing.
 */
export function nextLoad({ late, share }: Load, delayMs: number, limitMs: number): Load {
  if (delayMs <= limitMs) return { late: false, share: Math.max(0, share - 0.02) };
  const more = late ? Math.min(0.2, (0.05 * delayMs) / limitMs) : 0;
  return { late: true, share: Math.min(LARGEST_SHARE, share + more) };
}

/**
 * Starts watching how late this process's event loop comes round.
 * @param settings - when requests are refused, as it is set now
 * @param shed - called for every request that is refused
 * @param clock - the process's own, also where a test holds the time
 */
export function startShedding(
  settings: () => OverloadConfiguration,
  time: Time,
  shed: () => void,
  clock: () => number = () => performance.now(),
) {
  let load: Load = { share: 0, late: false };
  let last = clock();
  const delayMs = (): number => clock() - last - EVERY_MS;
  const stop = time.every(EVERY_MS, async () => {
    load = nextLoad(load, delayMs(), settings().eventLoopDelayMs);
    last = clock();
  });
  // With many connections one turn of the loop can take seconds: what comes late in it is refused within it.
  const share = (): number =>
    delayMs() > 2 * settings().eventLoopDelayMs ? LARGEST_SHARE : load.share;
  return {
    /**
     * Throws a Refusal for a request that is one too many.
     * @param waitedMs - how long it has waited to be begun
     */
    admit(waitedMs: number): void {
      // The caller of a request that waited longer has probably given up when it is answered.
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
