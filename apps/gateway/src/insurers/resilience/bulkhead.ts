import type { BulkheadConfiguration } from "../../configuration/file.ts";

/** Limits the simultaneous calls to one insurer, each of which uses a slot, and each account's share of the slots. */
export type Bulkhead = ReturnType<typeof createBulkhead>;

/** Maximum share of one account in the slots while other accounts' calls wait. */
const MAX_ACCOUNT_SHARE = 1 / 4;

interface WaitingCall {
  /** The call's place in the order of arrival. */
  readonly number: number;
  readonly isPatient: boolean;
  /** Ends the wait of the call: with a slot (true) or without one (false). */
  readonly end: (hasPlace: boolean) => void;
}

/** The waiting calls of one account. In each set, the call that has waited longest is first. */
interface AccountLine {
  readonly account: string;
  readonly hasty: Set<WaitingCall>;
  readonly patient: Set<WaitingCall>;
}

/**
 * Creates a bulkhead with all its slots free. A free slot goes to the call that has waited longest among the accounts
 * below their share; without such an account, to the account with the fewest slots. The places in the queue are shared
 * in the same way. Each account has a separate line: in a single queue, the search for the next call took as long as
 * half a request when 800 calls of a few accounts waited. For each free slot, the bulkhead still looks at every
 * account's line.
 * @param settings - returns the configured numbers; running calls keep their slots when the numbers change
 */
export function createBulkhead(settings: () => BulkheadConfiguration) {
  const held = new Map<string, number>();
  let running = 0;
  let arrived = 0;
  /** The waiting calls of each account that has waiting calls. */
  const lines = new Map<string, AccountLine>();
  /** Number of waiting calls, not counting patient calls (see `enter`). */
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

  /** Gives free slots to waiting calls: several if a change of the settings has added slots, otherwise at most one. */
  function fill(): void {
    // Without this check, each free slot caused a search of the empty queue: a ninth of a request's allocations.
    if (lines.size === 0) return;
    const size = settings().running;
    for (let free = size - running; free > 0; free -= 1) next(accountShareOf(size))?.end(true);
  }

  /** Returns the waiting call that gets the next free slot; undefined if no call waits. */
  function next(share: number): WaitingCall | undefined {
    let best: WaitingCall | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const { account, hasty, patient } of lines.values()) {
      const [oldest] = hasty.size > 0 ? hasty : patient;
      const count = heldBy(account);
      // All accounts below their share count as equal, so the waiting time decides.
      const counted = count < share ? 0 : count;
      if (oldest === undefined || counted > fewest) continue;
      if (best === undefined || counted < fewest || comesBefore(oldest, best)) best = oldest;
      fewest = counted;
    }
    return best;
  }

  /**
   * Reports whether a call of an account may wait. In a full queue, the newest call of another account is dropped for
   * an account below its share.
   */
  function mayQueue(account: string): boolean {
    const { queued: most } = settings();
    if (queued < most) return true;
    const share = accountShareOf(most);
    if ((lines.get(account)?.hasty.size ?? 0) >= share) return false;
    const largest = longestLine(lines.values());
    // This account has fewer waiting calls than its share, so the longest line belongs to another account.
    if (largest === undefined || largest.hasty.size <= share) return false;
    [...largest.hasty].at(-1)?.end(false);
    return true;
  }

  function lineOf(account: string): AccountLine {
    const found = lines.get(account);
    if (found !== undefined) return found;
    const line = { account, hasty: new Set<WaitingCall>(), patient: new Set<WaitingCall>() };
    lines.set(account, line);
    return line;
  }

  function wait(account: string, waitMs: number, isPatient: boolean): Promise<(() => void) | null> {
    return new Promise((resolve) => {
      const line = lineOf(account);
      const calls = isPatient ? line.patient : line.hasty;
      arrived += 1;
      const one: WaitingCall = {
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
     * Takes a slot for a call, after a wait if necessary. Returns the function that releases the slot; null if no slot
     * became free in time.
     * @param mostMs - maximum wait in milliseconds; the configured maximum may be shorter
     * @param isPatient - true for a call that has already waited for credentials together with many others: it may wait
     *   up to `mostMs`, does not count as queued, and lets other calls go first
     */
    async enter(account: string, mostMs: number, isPatient = false): Promise<(() => void) | null> {
      // Waiting calls come before this call if a change of the settings has added slots.
      fill();
      const { queueMs, running: size } = settings();
      if (running < size) return take(account);
      if (isPatient) return wait(account, mostMs, true);
      if (!mayQueue(account)) return null;
      return wait(account, Math.min(queueMs, mostMs), false);
    },
  };
}

function accountShareOf(places: number): number {
  return Math.max(1, Math.floor(places * MAX_ACCOUNT_SHARE));
}

/** Reports whether a waiting call gets a slot before another waiting call: patient calls come last. */
function comesBefore(one: WaitingCall, other: WaitingCall): boolean {
  return one.isPatient === other.isPatient ? one.number < other.number : other.isPatient;
}

/** Returns the line with the most waiting calls, not counting patient calls. */
function longestLine(lines: Iterable<AccountLine>): AccountLine | undefined {
  let best: AccountLine | undefined;
  for (const line of lines)
    if (best === undefined || line.hasty.size > best.hasty.size) best = line;
  return best;
}
