/** The current window of a key, with the number of events in the window. */
export interface CountedWindow {
  readonly count: number;
  /** Remaining time of the window, in milliseconds. */
  readonly leftMs: number;
}

/** Counts events by key, in time windows of a fixed length. The first event of a key starts the key's window. */
export type FixedWindows = ReturnType<typeof createFixedWindows>;

/** Creates a counter of events. */
export function createFixedWindows() {
  const windows = new Map<string, { count: number; readonly endsAt: number }>();

  /** Deletes windows that have ended. Older windows come first in the map. */
  function forgetEnded(now: number): void {
    for (const [key, { endsAt }] of windows) {
      if (endsAt > now) return;
      windows.delete(key);
    }
  }

  return {
    /** Returns the current window of a key; null if the key has no current window. */
    find(key: string): CountedWindow | null {
      const window = windows.get(key);
      const leftMs = (window?.endsAt ?? 0) - readClock();
      return window === undefined || leftMs <= 0 ? null : { count: window.count, leftMs };
    },
    /**
     * Counts an event of a key.
     * @param lengthMs - the length of the window in milliseconds, if the event starts a window
     */
    count(key: string, lengthMs: number): CountedWindow {
      const now = readClock();
      let window = windows.get(key);
      if (window === undefined || window.endsAt <= now) {
        windows.delete(key);
        forgetEnded(now);
        window = { count: 0, endsAt: now + lengthMs };
        windows.set(key, window);
      }
      window.count += 1;
      return { count: window.count, leftMs: window.endsAt - now };
    },
  };
}

/** Returns the time of a monotonic clock in whole milliseconds, because sums of fractions would be inexact. */
function readClock(): number {
  return Math.floor(performance.now());
}
