import { Semaphore, withTimeout } from "async-mutex";
import type { BulkheadConfiguration } from "../configuration/file.ts";

/** Keeps one insurer from holding more of the gateway than its share. */
export interface Bulkhead {
  /**
   * Takes a place, if need be after a wait, and gives how to leave it; null when there is none in time.
   * @param mostMs - no longer than this is waited, whatever the settings say
   * @param isPatient - of a call that has waited for something else with many others: it waits as long as it may, uncounted,
   * and lets the others go first
   */
  enter(mostMs: number, isPatient?: boolean): Promise<(() => void) | null>;
  running(): number;
  queued(): number;
}

const IN_VAIN = new Error("No place came free in time");

/** Makes one with all its places free. */
export function createBulkhead(settings: BulkheadConfiguration): Bulkhead {
  const places = new Semaphore(settings.running);
  let running = 0;
  let queued = 0;

  async function waitForPlace(mostMs: number): Promise<(() => void) | null> {
    if (queued >= settings.queued) return null;
    queued += 1;
    try {
      return await placeWithin(Math.min(settings.queueMs, mostMs), 0);
    } finally {
      queued -= 1;
    }
  }

  /** @param priority - the higher is served first */
  async function placeWithin(waitMs: number, priority: number): Promise<(() => void) | null> {
    try {
      const [, leave] = await withTimeout(places, waitMs, IN_VAIN).acquire(1, priority);
      return leave;
    } catch (error) {
      if (error === IN_VAIN) return null;
      throw error;
    }
  }

  return {
    running: () => running,
    queued: () => queued,
    async enter(mostMs, isPatient = false) {
      const leave = isPatient
        ? await placeWithin(mostMs, -1)
        : places.isLocked()
          ? await waitForPlace(mostMs)
          : (await places.acquire())[1];
      if (leave === null) return null;
      running += 1;
      let inside = true;
      return () => {
        if (!inside) return;
        inside = false;
        running -= 1;
        leave();
      };
    },
  };
}
