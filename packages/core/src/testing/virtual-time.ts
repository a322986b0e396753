import type { CancellationSignal, TransportTime } from "../transport/transport.ts";
import { TransportError } from "../transport/transport.ts";

/** Length of time: the sum of its parts. */
export interface Duration {
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
  readonly milliseconds?: number;
}

/** Clock of a fake gateway, its insurers and its client. Time passes when one of them waits, and takes no real time. */
export interface FakeClock {
  now(): Date;
  /** Moves the clock forward. The gateway does due work at its next call. */
  advance(by: Duration): void;
}

/** Time that a fake gateway and its client share. */
export interface VirtualTime extends TransportTime {
  readonly clock: FakeClock;
  /**
   * Waits until an instant, in milliseconds since 1970.
   * @throws TransportError if the signal aborts before
   */
  until(instant: number, signal: CancellationSignal | undefined): Promise<void>;
}

/** Timer that has not fired yet. */
interface PendingTimer {
  readonly at: number;
  readonly wake: () => void;
}

/** Number of microtask turns before time passes. In these turns, all calls of a test can start their waits. */
const TURNS_BEFORE_TIME_PASSES = 100;

/** Creates a clock whose time passes only while something waits. */
export function createVirtualTime(start: Date): VirtualTime {
  let now = start.getTime();
  let isPassing = false;
  const sleepers = new Set<PendingTimer>();

  async function passTime(): Promise<void> {
    isPassing = true;
    while (sleepers.size > 0) {
      for (let turn = 0; turn < TURNS_BEFORE_TIME_PASSES; turn++) await Promise.resolve();
      const [first] = [...sleepers].toSorted((one, other) => one.at - other.at);
      if (first === undefined) break;
      now = Math.max(now, first.at);
      sleepers.delete(first);
      first.wake();
    }
    isPassing = false;
  }

  const after: TransportTime["after"] = (milliseconds, wake) => {
    const sleeper = { at: now + Math.max(0, milliseconds), wake };
    sleepers.add(sleeper);
    if (!isPassing) void passTime();
    return () => void sleepers.delete(sleeper);
  };

  return {
    after,
    now: () => now,
    elapsed: () => now,
    until: (instant, signal) =>
      new Promise((resolve, reject) => {
        const stop = (): void => {
          cancel();
          reject(new TransportError("wait", "cancelled"));
        };
        const cancel = after(instant - now, () => {
          signal?.removeEventListener("abort", stop);
          resolve();
        });
        signal?.addEventListener("abort", stop);
        if (signal?.aborted) stop();
      }),
    clock: {
      now: () => new Date(now),
      advance({ days = 0, hours = 0, minutes = 0, seconds = 0, milliseconds = 0 }) {
        const by = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000 + milliseconds;
        if (!(by >= 0)) throw new RangeError("The clock can only move forward");
        now += by;
      },
    },
  };
}
