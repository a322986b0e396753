/** Limits the memory for insurers' answers in one process. */
export type AnswerBudget = ReturnType<typeof createAnswerBudget>;

/** The memory for the answers of one insurer. */
export interface AnswerRoom {
  /**
   * Reserves memory for an answer, after a wait if necessary; waiting calls receive memory in the order of arrival.
   * @returns null if there is no memory in time, or the caller disconnected
   */
  reserve(bytes: number, wait: RoomWait): Promise<ReservedRoom | null>;
  /** Reserves memory at once, even above the maximum: for the answer to a submission, which must not be lost. */
  take(bytes: number): ReservedRoom;
}

/** The conditions of a wait for memory. */
export interface RoomWait {
  readonly mostMs: number;
  /** Ends the wait when the caller disconnects; null for a call that always runs to its end. */
  readonly signal: Pick<AbortSignal, "aborted" | "addEventListener" | "removeEventListener"> | null;
  /** Called when the call must wait. */
  readonly waits: () => void;
}

/** Memory that is reserved for one answer. */
export interface ReservedRoom {
  /** Reduces the reservation to the bytes that the answer needs. */
  reduce(bytes: number): void;
  /** Releases the reservation; a second call has no effect. */
  release(): void;
}

/** Maximum share of one insurer: slow answers of an insurer leave memory for other insurers. */
const LARGEST_SHARE = 1 / 2;

interface Waiting {
  readonly segment: string;
  readonly bytes: number;
  readonly end: (hasRoom: boolean) => void;
}

/**
 * Creates a budget with all its memory free. An answer that is larger than the budget, or than an insurer's share,
 * receives memory when no other answer of the process, or of the insurer, holds memory.
 * @param mostBytes - returns the maximum as set now; a change keeps existing reservations
 */
export function createAnswerBudget(mostBytes: () => number) {
  const heldBy = new Map<string, number>();
  let held = 0;
  /** The oldest call comes first. */
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

  /**
   * Gives memory to waiting calls. A call without memory blocks later calls of its insurer, or all if the budget is
   * used up.
   */
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
          // The reservation is made at once, so that the next call is compared with it.
          resolve(hasRoom ? take(segment, bytes) : null);
          // The call may have kept later calls waiting.
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
    /** Returns the number of reserved bytes. */
    held: (): number => held,
    /** Returns the part of the budget for one insurer's answers. */
    roomOf: (segment: string): AnswerRoom => ({
      reserve: (bytes, wait) => reserve(segment, bytes, wait),
      take: (bytes) => take(segment, bytes),
    }),
  };
}
