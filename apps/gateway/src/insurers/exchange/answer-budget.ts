/** Limits how many bytes of insurers' answers one process has in memory at one time. */
export type AnswerBudget = ReturnType<typeof createAnswerBudget>;

/** Where the answers of one insurer get their room. */
export interface AnswerRoom {
  /**
   * Reserves room for an answer, if need be after a wait; the calls that wait get room in the order in which they came.
   * @returns null if there is none in time, or the caller disconnected
   */
  reserve(bytes: number, wait: RoomWait): Promise<ReservedRoom | null>;
  /** Reserves room at once, also where there is none: for the answer to a submission, which must not be lost. */
  take(bytes: number): ReservedRoom;
}

/** How long a call waits for room. */
export interface RoomWait {
  readonly mostMs: number;
  /** Ends the wait when its caller disconnects; null for a call that always runs to its end. */
  readonly signal: Pick<AbortSignal, "aborted" | "addEventListener" | "removeEventListener"> | null;
  /** Called when there is no room at once. */
  readonly waits: () => void;
}

/** Room for one answer. */
export interface ReservedRoom {
  /** Gives back what the answer turned out not to need. */
  reduce(bytes: number): void;
  /** Gives all of it back. A second time is the same as once. */
  release(): void;
}

/** An insurer whose answers come slowly leaves the rest to the others. */
const LARGEST_SHARE = 1 / 2;

interface Waiting {
  readonly segment: string;
  readonly bytes: number;
  readonly end: (hasRoom: boolean) => void;
}

/**
 * Makes a budget with all its room free. An answer that is larger than the budget, or than an insurer's share of it, is
 * read when nothing else is held of the process, or of the insurer.
 * @param mostBytes - as it is set now; what is reserved stays so when it changes
 */
export function createAnswerBudget(mostBytes: () => number) {
  const heldBy = new Map<string, number>();
  let held = 0;
  /** The oldest first. */
  let waiting: readonly Waiting[] = [];

  const heldOf = (segment: string): number => heldBy.get(segment) ?? 0;
  const fitsTotal = (bytes: number): boolean => held === 0 || held + bytes <= mostBytes();
  const fitsShare = (segment: string, bytes: number): boolean =>
    heldOf(segment) === 0 || heldOf(segment) + bytes <= mostBytes() * LARGEST_SHARE;

  function count(segment: string, bytes: number): void {
    held += bytes;
    const left = heldOf(segment) + bytes;
    if (left === 0) heldBy.delete(segment);
    else heldBy.set(segment, left);
  }

  function take(segment: string, bytes: number): ReservedRoom {
    count(segment, bytes);
    let reserved = bytes;
    const reduce = (to: number): void => {
      const less = Math.min(to, reserved) - reserved;
      if (less === 0) return;
      reserved += less;
      count(segment, less);
      fill();
    };
    return { reduce, release: () => reduce(0) };
  }

  /** Gives room to those that wait; one that finds none lets nobody of its insurer pass, and of the whole, nobody. */
  function fill(): void {
    const full = new Set<string>();
    for (const one of waiting) {
      if (full.has(one.segment)) continue;
      if (!fitsShare(one.segment, one.bytes)) full.add(one.segment);
      else if (fitsTotal(one.bytes)) one.end(true);
      else return;
    }
  }

  function reserve(
    segment: string,
    bytes: number,
    { mostMs, signal, waits }: RoomWait,
  ): Promise<ReservedRoom | null> {
    return new Promise((resolve) => {
      const giveUp = (): void => one.end(false);
      const timer = setTimeout(giveUp, mostMs);
      const one: Waiting = {
        segment,
        bytes,
        end(hasRoom) {
          clearTimeout(timer);
          signal?.removeEventListener("abort", giveUp);
          waiting = waiting.filter((other) => other !== one);
          // At once, so that the next one is compared with the current reservation.
          resolve(hasRoom ? take(segment, bytes) : null);
          // It may have kept those behind it waiting.
          if (!hasRoom) fill();
        },
      };
      signal?.addEventListener("abort", giveUp);
      waiting = [...waiting, one];
      if (signal?.aborted === true) giveUp();
      else fill();
      if (waiting.includes(one)) waits();
    });
  }

  return {
    /** How many bytes are reserved. */
    held: (): number => held,
    /** The part of the budget that one insurer's answers use. */
    roomOf: (segment: string): AnswerRoom => ({
      reserve: (bytes, wait) => reserve(segment, bytes, wait),
      take: (bytes) => take(segment, bytes),
    }),
  };
}
