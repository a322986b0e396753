import type { CancellationSignal } from "@insurance-gateway/core/transport";
import type { Refusal } from "../problems/refusal.ts";
import type { Time } from "../time.ts";

/**
 * Delays answers with 429 and 503 while the process is busy. A refusal costs nearly as much as an
 * answer: callers who ignore Retry-After and send again at once would otherwise keep the process from everything
 * else.
 */
export interface DelayedRejections {
  /**
   * Resolves when the refusal may be sent, or its caller has disconnected. Undefined for at once: any other refusal, while
   * there is time to spare, or when enough are held.
   */
  hold(refusal: Refusal, callerGone: CancellationSignal): Promise<void> | undefined;
  stop(): Promise<void>;
}

/** The parts that the delay needs. */
export interface DelayedRejectionsParts {
  readonly time: Time;
  /** How many connections the gateway takes, as it is set now: most of them must be left for others. */
  readonly connections: () => number;
  /** The share of the time since the last call in which this process was busy, from 0 to 1. */
  readonly busyShare: () => number;
}

/** How often the load is checked, and rejections that were delayed long enough are released. */
const EVERY_MS = 200;
/** The least Retry-After. */
const HOLD_MS = 1_000;
/** The busy share of its time from which on a process delays refusals. */
const SATURATED = 0.95;
/** Each is a connection that holds memory. */
const MOST_HELD = 4_096;
/** How many are released in one turn of the event loop; between turns, other answers are read and written. */
const AT_ONCE = 20;

interface Held {
  readonly since: number;
  readonly release: () => void;
}

/** Starts watching how busy this process is. A single long pause delays nothing. */
export function startDelayedRejections({
  busyShare,
  connections,
  time,
}: DelayedRejectionsParts): DelayedRejections {
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

/** Measures the share of the time since the last call in which this process was busy, from 0 to 1. */
export function measureBusyShare(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
