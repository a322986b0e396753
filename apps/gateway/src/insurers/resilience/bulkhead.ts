import type { BulkheadConfiguration } from "../../configuration/file.ts";

/** Keeps one insurer from holding more of the gateway than its share, and one account from holding all of that. */
export type Bulkhead = ReturnType<typeof createBulkhead>;

/** The largest share of the places for one account while others wait. */
const LARGEST_SHARE = 1 / 4;

interface Waiting {
  /** Its place in the order of arrival. */
  readonly number: number;
  readonly isPatient: boolean;
  /** Ends the wait, with a place or in vain. */
  readonly end: (hasPlace: boolean) => void;
}

/** The calls of one account that wait, each kind the oldest first. */
interface Line {
  readonly account: string;
  readonly hasty: Set<Waiting>;
  readonly patient: Set<Waiting>;
}

/**
 * Makes one with all its places free. A free place goes to the oldest waiting call of an account that holds less than
 * its share; where none does, to the account that holds the fewest. The queue is shared in the same way. Each
 * account has a line of its own: with one line for all, a call searched it for every place, which took as long as
 * half a request when 800 calls of few accounts waited. A place still takes a look at each line.
 * @param settings - those that count now; calls that have a place keep it when they change
 */
export function createBulkhead(settings: () => BulkheadConfiguration) {
  const held = new Map<string, number>();
  let running = 0;
  let arrived = 0;
  /** The lines of the accounts that have waiting calls. */
  const lines = new Map<string, Line>();
  /** How many calls wait, without the patient ones. */
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

  /** Gives the free places to calls that wait: several where the settings have more places than before, else one at most. */
  function fill(): void {
    // Without this, an empty queue was searched once per free place: a ninth of a request's allocations.
    if (lines.size === 0) return;
    const size = settings().running;
    for (let free = size - running; free > 0; free -= 1) next(shareOf(size))?.end(true);
  }

  /** The waiting call that gets the free place. */
  function next(share: number): Waiting | undefined {
    let best: Waiting | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const { account, hasty, patient } of lines.values()) {
      const [oldest] = hasty.size > 0 ? hasty : patient;
      const count = heldBy(account);
      // All that hold less than their share are alike.
      const counted = count < share ? 0 : count;
      if (oldest === undefined || counted > fewest) continue;
      if (best === undefined || counted < fewest || isBefore(oldest, best)) best = oldest;
      fewest = counted;
    }
    return best;
  }

  /** Whether one more call of an account may wait; another account's newest makes room for one below its share. */
  function mayQueue(account: string): boolean {
    const { queued: most } = settings();
    if (queued < most) return true;
    const share = shareOf(most);
    if ((lines.get(account)?.hasty.size ?? 0) >= share) return false;
    const largest = longest(lines.values());
    // Not the line of this account: that one is shorter than the share.
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
     * Takes a place for an account, if need be after a wait, and gives how to leave it; null when there is none in time.
     * @param mostMs - no longer than this is waited, whatever the settings say
     * @param isPatient - of a call that has waited for something else with many others: it waits as long as it may, uncounted,
     * and lets the others go first
     */
    async enter(account: string, mostMs: number, isPatient = false): Promise<(() => void) | null> {
      // Waiting calls come first where the settings have more places than before.
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

/** Whether a call gets a place before another one: patient calls come last. */
function isBefore(one: Waiting, other: Waiting): boolean {
  return one.isPatient === other.isPatient ? one.number < other.number : other.isPatient;
}

/** The line with the most calls that are not patient. */
function longest(lines: Iterable<Line>): Line | undefined {
  let best: Line | undefined;
  for (const line of lines)
    if (best === undefined || line.hasty.size > best.hasty.size) best = line;
  return best;
}
