import type { BulkheadConfiguration } from "../../configuration/file.ts";

/** Limits the slots of one insurer, and the share of one account in them. */
export type Bulkhead = ReturnType<typeof createBulkhead>;

/** Maximum share of the slots for one account while other accounts wait. */
const LARGEST_SHARE = 1 / 4;

interface Waiting {
  /** Position in the order of arrival. */
  readonly number: number;
  readonly isPatient: boolean;
  /** Ends the wait, with a slot or without one. */
  readonly end: (hasPlace: boolean) => void;
}

/** The waiting calls of one account, of each kind the oldest first. */
interface Line {
  readonly account: string;
  readonly hasty: Set<Waiting>;
  readonly patient: Set<Waiting>;
}

/**
 * Creates a bulkhead with all its slots free. A free slot goes to the oldest waiting call of an account below its
 * share; without such an account, to the account with the fewest slots. The queue is shared in the same way. Each
 * account has a separate line: with a single queue, each free slot searched the whole queue, which took as long as
 * half a request when 800 calls of few accounts waited. A free slot still looks at each line.
 * @param settings - returns the settings as set now; running calls keep their slots when they change
 */
export function createBulkhead(settings: () => BulkheadConfiguration) {
  const held = new Map<string, number>();
  let running = 0;
  let arrived = 0;
  /** The lines of the accounts that have waiting calls. */
  const lines = new Map<string, Line>();
  /** Number of waiting calls, without the patient calls. */
  let queued = 0;

  const heldBy = (account: string): number => held.get(account) ?? 0;

  function take(account: string): () => void {
    running += 1;
    held.set(account, heldBy(account) + 1);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      running -= 1;
      const left = heldBy(account) - 1;
      if (left === 0) held.delete(account);
      else held.set(account, left);
      fill();
    };
  }

  /** Gives free slots to waiting calls: several if the settings have added slots, otherwise at most one. */
  function fill(): void {
    // Without this, an empty queue was searched once for each free slot: a ninth of a request's allocations.
    if (lines.size === 0) return;
    const size = settings().running;
    for (let free = size - running; free > 0; free -= 1) next(shareOf(size))?.end(true);
  }

  /** Returns the waiting call that gets the free slot. */
  function next(share: number): Waiting | undefined {
    let best: Waiting | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const { account, hasty, patient } of lines.values()) {
      const [oldest] = hasty.size > 0 ? hasty : patient;
      const count = heldBy(account);
      // All accounts below their share are equal.
      const counted = count < share ? 0 : count;
      if (oldest === undefined || counted > fewest) continue;
      if (best === undefined || counted < fewest || isBefore(oldest, best)) best = oldest;
      fewest = counted;
    }
    return best;
  }

  /**
   * Reports whether an account's call may wait; another account's newest call makes room for an account below its
   * share.
   */
  function mayQueue(account: string): boolean {
    const { queued: most } = settings();
    if (queued < most) return true;
    const share = shareOf(most);
    if ((lines.get(account)?.hasty.size ?? 0) >= share) return false;
    const largest = longest(lines.values());
    // This account's line is shorter than the share, so that it is not the longest line.
    if (largest === undefined || largest.hasty.size <= share) return false;
    [...largest.hasty].at(-1)?.end(false);
    return true;
  }

  function lineOf(account: string): Line {
    const found = lines.get(account);
    if (found !== undefined) return found;
    const line = { account, hasty: new Set<Waiting>(), patient: new Set<Waiting>() };
    lines.set(account, line);
    return line;
  }

  function wait(account: string, waitMs: number, isPatient: boolean): Promise<(() => void) | null> {
    return new Promise((resolve) => {
      const line = lineOf(account);
      const calls = isPatient ? line.patient : line.hasty;
      arrived += 1;
      const one: Waiting = {
        number: arrived,
        isPatient,
        end(hasPlace) {
          clearTimeout(timer);
          calls.delete(one);
          if (!isPatient) queued -= 1;
          if (line.hasty.size + line.patient.size === 0) lines.delete(account);
          resolve(hasPlace ? take(account) : null);
        },
      };
      const timer = setTimeout(() => one.end(false), waitMs);
      calls.add(one);
      if (!isPatient) queued += 1;
    });
  }

  return {
    running: (): number => running,
    queued: (): number => queued,
    /**
     * Takes a slot for an account, after a wait if necessary; returns how to release it, or null if there is no slot
     * in time.
     * @param mostMs - maximum wait, regardless of the settings
     * @param isPatient - true for a call that has already waited for credentials with many others: it waits up to
     *   `mostMs`, does not count as queued, and lets other calls go first
     */
    async enter(account: string, mostMs: number, isPatient = false): Promise<(() => void) | null> {
      // Waiting calls come first if the settings have added slots.
      fill();
      const { queueMs, running: size } = settings();
      if (running < size) return take(account);
      if (isPatient) return wait(account, mostMs, true);
      if (!mayQueue(account)) return null;
      return wait(account, Math.min(queueMs, mostMs), false);
    },
  };
}

function shareOf(places: number): number {
  return Math.max(1, Math.floor(places * LARGEST_SHARE));
}

/** Reports whether a call gets a slot before another call: patient calls come last. */
function isBefore(one: Waiting, other: Waiting): boolean {
  return one.isPatient === other.isPatient ? one.number < other.number : other.isPatient;
}

/** Returns the line with the most calls that are not patient. */
function longest(lines: Iterable<Line>): Line | undefined {
  let best: Line | undefined;
  for (const line of lines)
    if (best === undefined || line.hasty.size > best.hasty.size) best = line;
  return best;
}
