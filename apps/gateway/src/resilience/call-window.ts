/** Counts the calls of the last so many milliseconds. */
export interface CallWindow {
  add(failed: boolean): void;
  counts(): { readonly calls: number; readonly failures: number };
  clear(): void;
}

/** The window slides by a tenth of its length at a time. */
const PARTS = 10;

/** Makes one that is empty. When its length changes, it begins again. */
export function createCallWindow(windowMs: () => number, now: () => number): CallWindow {
  let partMs = windowMs() / PARTS;
  let parts: { readonly part: number; calls: number; failures: number }[] = [];
  const current = (): number => {
    if (partMs !== windowMs() / PARTS) {
      partMs = windowMs() / PARTS;
      parts = [];
    }
    return Math.floor(now() / partMs);
  };
  const forgetOld = (): void => {
    const oldest = current() - PARTS;
    while (parts[0] !== undefined && parts[0].part <= oldest) parts.shift();
  };
  return {
    add(failed) {
      forgetOld();
      const part = current();
      const last = parts.at(-1);
      if (last?.part === part) {
        last.calls += 1;
        last.failures += failed ? 1 : 0;
      } else parts.push({ part, calls: 1, failures: failed ? 1 : 0 });
    },
    counts() {
      forgetOld();
      const sum = { calls: 0, failures: 0 };
      for (const { calls, failures } of parts) {
        sum.calls += calls;
        sum.failures += failures;
      }
      return sum;
    },
    clear() {
      parts = [];
    },
  };
}
