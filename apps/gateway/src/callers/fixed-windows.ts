/** How often a key was counted in its window. */
export interface CountedWindow {
  readonly count: number;
  /** How long the window still lasts, in milliseconds. */
  readonly leftMs: number;
}

/** Counts keys in windows of a fixed length. A key's window begins with its first count, and is forgotten at its end. */
export type FixedWindows = ReturnType<typeof createFixedWindows>;

/** Creates an empty count. */
export function createFixedWindows() {
  const windows = new Map<string, { count: number; readonly endsAt: number }>();

  /** Older windows come first. */
  function forgetEnded(now: number): void {
    for (const [key, { endsAt }] of windows) {
      if (endsAt > now) return;
      windows.delete(key);
    }
  }

  return {
    /** Returns the open window of a key; null if there is none. */
    find(key: string): CountedWindow | null {
      const window = windows.get(key);
      const leftMs = (window?.endsAt ?? 0) - readClock();
      return window === undefined || leftMs <= 0 ? null : { count: window.count, leftMs };
    },
    /** Counts a key. @param lengthMs - the length of a window that begins now, in milliseconds */
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

/** Returns whole milliseconds: sums of fractions would be off by their rounding. */
function readClock(): number {
  return Math.floor(performance.now());
}
