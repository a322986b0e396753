import type { Refusal } from "../problems/refusal.ts";
import type { Time } from "../time.ts";

/**
 * Lets 429 and 503 wait before they are answered, while the process has no time to spare. A refusal costs nearly what an
 * answer costs: callers who send again at once, whatever Retry-After says, would otherwise keep the process from everything
 * else.
 */
export interface HeldRefusals {
  /**
   * Comes back when the refusal may be answered, or its caller has gone. Undefined for at once: any other refusal, while
   * there is time to spare, or when enough are held.
   */
  hold(refusal: Refusal, callerGone: AbortSignal): Promise<void> | undefined;
  stop(): Promise<void>;
}

/** What they are held with. */
export interface HeldRefusalsParts {
  readonly time: Time;
  /** How many connections the gateway takes, as it is set now: most of them must be left for others. */
  readonly connections: () => number;
  /** How much of the time since it was last asked this process had something to do, from 0 to 1. */
  readonly busyShare: () => number;
}

/** How often the load is checked, and rejections that were delayed long enough are released. */
const EVERY_MS = 200;
/** What Retry-After asks at least. */
const HOLD_MS = 1_000;
/** The share of its time that a process has something to do which has none to spare. */
const SATURATED = 0.95;
/** Each is a connection that holds memory. */
const MOST_HELD = 4_096;
/** How many are released in one turn of the event loop; between turns, other answers are read and written. */
const AT_ONCE = 20;

interface Held {
  readonly since: number;
  readonly release: () => void;
}

/** Starts watching how much of its time this process has something to do. One long pause alone holds nothing. */
export function startHeldRefusals({
  busyShare,
  connections,
  time,
}: HeldRefusalsParts): HeldRefusals {
  const most = (): number => Math.min(MOST_HELD, connections() / 2);
  const held = new Set<Held>();
  let wasBusy = false;
  let isSaturated = false;

  function release(one: Held): void {
    held.delete(one);
    one.release();
  }

  function releaseUntil(instant: number): void {
    let released = 0;
    for (const one of held) {
      if (one.since > instant) return;
      if (released === AT_ONCE) return void setImmediate(releaseUntil, instant);
      release(one);
      released += 1;
    }
  }

  const stop = time.every(EVERY_MS, async () => {
    const isBusy = busyShare() >= SATURATED;
    isSaturated = isBusy && wasBusy;
    wasBusy = isBusy;
    releaseUntil(time.elapsed() - HOLD_MS);
  });
  return {
    hold({ facts }, callerGone) {
      const isForCapacity = facts.status === 429 || facts.status === 503;
      if (!isSaturated || !isForCapacity || held.size >= most() || callerGone.aborted)
        return undefined;
      return new Promise((resolve) => {
        const one = { since: time.elapsed(), release: resolve };
        held.add(one);
        callerGone.addEventListener("abort", () => release(one));
      });
    },
    async stop() {
      await stop();
      isSaturated = false;
      for (const one of held) release(one);
    },
  };
}

/** Measures how much of the time since it was last asked this process had something to do, from 0 to 1. */
export function measureBusyShare(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
