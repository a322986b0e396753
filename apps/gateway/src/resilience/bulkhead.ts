import type { BulkheadConfiguration } from "../configuration/file.ts";

/** Keeps one insurer from holding more of the gateway than its share, and one connection from holding all of that. */
export interface Bulkhead {
  /**
   * Takes a place for a connection, if need be after a wait, and gives how to leave it; null when there is none in time.
   * @param mostMs - no longer than this is waited, whatever the settings say
   * @param isPatient - of a call that has waited for something else with many others: it waits as long as it may, uncounted,
   * and lets the others go first
   */
  enter(connection: string, mostMs: number, isPatient?: boolean): Promise<(() => void) | null>;
  /** Takes a place that is free, and gives how to leave it; null when there is none. */
  enterNow(connection: string): (() => void) | null;
  running(): number;
  queued(): number;
}

/** The largest share of the places for one connection while others wait. */
const LARGEST_SHARE = 1 / 4;

interface Waiting {
  readonly connection: string;
  readonly isPatient: boolean;
  /** Ends the wait, with a place or in vain. */
  readonly end: (hasPlace: boolean) => void;
}

/**
 * Makes one with all its places free. A free place goes to the oldest waiting call of a connection that holds less than
 * its share; where none does, to the connection that holds the fewest. The queue is shared in the same way.
 * @param settings - those that count now; calls that have a place keep it when they change
 */
export function createBulkhead(settings: () => BulkheadConfiguration): Bulkhead {
  const held = new Map<string, number>();
  let running = 0;
  /** Those that are not patient before those that are, each the oldest first. */
  let waiting: readonly Waiting[] = [];

  const heldBy = ({ connection }: Pick<Waiting, "connection">): number => held.get(connection) ?? 0;
  const queued = (): readonly Waiting[] => waiting.filter(({ isPatient }) => !isPatient);

  function take(connection: string): () => void {
    running += 1;
    held.set(connection, heldBy({ connection }) + 1);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      running -= 1;
      const left = heldBy({ connection }) - 1;
      if (left === 0) held.delete(connection);
      else held.set(connection, left);
      fill();
    };
  }

  /** Gives the free places to calls that wait: several where the settings have more places than before, else one at most. */
  function fill(): void {
    // Without this, an empty queue was searched once per free place: a ninth of a request's allocations.
    if (waiting.length === 0) return;
    const size = settings().running;
    for (let free = size - running; free > 0; free -= 1)
      nextOf(waiting, shareOf(size), heldBy)?.end(true);
  }

  /** Whether one more call of a connection may wait; another connection's newest makes room for one below its share. */
  function mayQueue(connection: string): boolean {
    const all = queued();
    const { queued: most } = settings();
    if (all.length < most) return true;
    const counts = countedBy(all);
    if ((counts.get(connection) ?? 0) >= shareOf(most)) return false;
    const [largest, count] = [...counts].reduce(
      (most, one) => (one[1] > most[1] ? one : most),
      ["", 0],
    );
    if (largest === connection || count <= shareOf(most)) return false;
    all.findLast((one) => one.connection === largest)?.end(false);
    return true;
  }

  function wait(
    connection: string,
    waitMs: number,
    isPatient: boolean,
  ): Promise<(() => void) | null> {
    return new Promise((resolve) => {
      const one: Waiting = {
        connection,
        isPatient,
        end(hasPlace) {
          clearTimeout(timer);
          waiting = waiting.filter((other) => other !== one);
          resolve(hasPlace ? take(connection) : null);
        },
      };
      const timer = setTimeout(() => one.end(false), waitMs);
      const firstPatient = waiting.findIndex((other) => other.isPatient);
      waiting =
        isPatient || firstPatient === -1
          ? [...waiting, one]
          : waiting.toSpliced(firstPatient, 0, one);
    });
  }

  function enterNow(connection: string): (() => void) | null {
    // Those that wait come first where the settings have more places than before.
    fill();
    return running < settings().running ? take(connection) : null;
  }

  return {
    running: () => running,
    queued: () => queued().length,
    enterNow,
    async enter(connection, mostMs, isPatient = false) {
      const leave = enterNow(connection);
      if (leave !== null) return leave;
      const { queueMs } = settings();
      if (isPatient) return wait(connection, mostMs, true);
      if (!mayQueue(connection)) return null;
      return wait(connection, Math.min(queueMs, mostMs), false);
    },
  };
}

function shareOf(places: number): number {
  return Math.max(1, Math.floor(places * LARGEST_SHARE));
}

/** The waiting call that gets the free place. */
function nextOf(
  waiting: readonly Waiting[],
  share: number,
  heldBy: (one: Waiting) => number,
): Waiting | undefined {
  return (
    waiting.find((one) => heldBy(one) < share) ??
    waiting.toSorted((one, other) => heldBy(one) - heldBy(other))[0]
  );
}

function countedBy(waiting: readonly Waiting[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { connection } of waiting) counts.set(connection, (counts.get(connection) ?? 0) + 1);
  return counts;
}
