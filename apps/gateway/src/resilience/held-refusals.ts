import type { Refusal } from "../problems/refusal.ts";
import type { Time } from "../time.ts";

/**
 * Lets those wait for their answer who are refused for want of capacity, while the process has no time to spare. A
 * refusal costs nearly what an answer costs: callers who send again at once, whatever Retry-After says, would otherwise
 * keep the process from everything else.
 */
export interface HeldRefusals {
  /**
   * Comes back when a 429 or 503 may be answered. Undefined for at once: any other refusal, while there is time to spare,
   * or when enough are held.
   */
  hold(refusal: Refusal): Promise<void> | undefined;
  stop(): Promise<void>;
}

/** How often the process is looked at, and who has waited long enough is let go. */
const EVERY_MS = 200;
/** What Retry-After asks at least. */
const HOLD_MS = 1_000;
/** The share of its time that a process has something to do which has none to spare. */
const SATURATED = 0.95;
/** Each is a connection that holds memory. */
const MOST_HELD = 4_096;

interface Held {
  readonly since: number;
  readonly release: () => void;
}

/**
 * Starts watching how much of its time this process has something to do.
 * @param busyShare - of the time since it was last asked, from 0 to 1
 */
export function startHeldRefusals(
  time: Time,
  busyShare: () => number = sinceLastAsked(),
): HeldRefusals {
  const held: Held[] = [];
  let isSaturated = false;
  const releaseUntil = (instant: number): void => {
    const kept = held.findIndex(({ since }) => since > instant);
    for (const { release } of held.splice(0, kept === -1 ? held.length : kept)) release();
  };
  const stop = time.every(EVERY_MS, async () => {
    isSaturated = busyShare() >= SATURATED;
    releaseUntil(time.elapsed() - HOLD_MS);
  });
  return {
    hold({ facts }) {
      const isForCapacity = facts.status === 429 || facts.status === 503;
      if (!isSaturated || !isForCapacity || held.length >= MOST_HELD) return undefined;
      return new Promise((release) => {
        held.push({ since: time.elapsed(), release });
      });
    },
    async stop() {
      await stop();
      releaseUntil(Number.POSITIVE_INFINITY);
    },
  };
}

function sinceLastAsked(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
