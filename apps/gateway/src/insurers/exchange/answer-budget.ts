/** Limits the memory for insurers' answers in one process. */
export type AnswerBudget = ReturnType<typeof createAnswerBudget>;

/** The part of the memory budget that one insurer's answers may use. */
export interface AnswerMemory {
  /**
   * Reserves memory for an answer, after a wait if necessary; waiting calls receive memory in the order of arrival.
   * @returns null if there is no memory in time, or the caller disconnected
   */
  reserve(bytes: number, wait: MemoryWait): Promise<ReservedMemory | null>;
  /** Reserves memory at once, even above the maximum, for the answer to a submission: this answer must not be lost. */
  take(bytes: number): ReservedMemory;
}

/** The conditions under which a call waits for memory. */
export interface MemoryWait {
  readonly mostMs: number;
  /** Ends the wait when the caller disconnects; null for a call that continues without its caller. */
  readonly signal: Pick<AbortSignal, "aborted" | "addEventListener" | "removeEventListener"> | null;
  /** Called if the call must wait for memory. */
  readonly waits: () => void;
}

/** Memory that an answer has reserved. */
export interface ReservedMemory {
  /** Reduces the reservation to the bytes that the answer needs. */
  reduce(bytes: number): void;
  /** Releases the reservation; a second call has no effect. */
  release(): void;
}

/** Maximum share of the budget for one insurer, so that its slow answers leave memory for other insurers. */
const MAX_INSURER_SHARE = 1 / 2;

interface WaitingCall {
  readonly segment: string;
  readonly bytes: number;
  readonly end: (hasRoom: boolean) => void;
}

/**
 * Creates a budget with all its memory free. An answer that is larger than the budget, or than an insurer's share, gets
 * memory only while no other answer of the process, or of the insurer, has reserved memory.
 * @param mostBytes - returns the configured maximum; a change does not affect existing reservations
 */
export function createAnswerBudget(mostBytes: () => number) {
  const heldBy = new Map<string, number>();
  let held = 0;
  /** Waiting calls; the call that has waited longest is first. */
  let waiting: readonly WaitingCall[] = [];

  const heldOf = (segment: string): number => heldBy.get(segment) ?? 0;
  const fitsTotal = (bytes: number): boolean => held === 0 || held + bytes <= mostBytes();
  const fitsShare = (segment: string, bytes: number): boolean =>
    heldOf(segment) === 0 || heldOf(segment) + bytes <= mostBytes() * MAX_INSURER_SHARE;

  function count(segment: string, bytes: number): void {
    held += bytes;
    const left = heldOf(segment) + bytes;
    if (left === 0) heldBy.delete(segment);
    else heldBy.set(segment, left);
  }

  function take(segment: string, bytes: number): ReservedMemory {
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
   * Reserves memory for waiting calls in order. A call that must still wait holds up later calls of its insurer, or all
   * later calls if the budget is used up.
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
    { mostMs, signal, waits }: MemoryWait,
  ): Promise<ReservedMemory | null> {
    return new Promise((resolve) => {
      const giveUp = (): void => one.end(false);
      const timer = setTimeout(giveUp, mostMs);
      const one: WaitingCall = {
        segment,
        bytes,
        end(hasRoom) {
          clearTimeout(timer);
          signal?.removeEventListener("abort", giveUp);
          waiting = waiting.filter((other) => other !== one);
          // The memory is reserved now, so that the check of the next waiting call includes it.
          resolve(hasRoom ? take(segment, bytes) : null);
          // Without this call in the queue, later calls may get memory.
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
    /** Returns the number of calls that wait for memory. */
    waiting: (): number => waiting.length,
    /** Returns the part of the budget for one insurer. */
    roomOf: (segment: string): AnswerMemory => ({
      reserve: (bytes, wait) => reserve(segment, bytes, wait),
      take: (bytes) => take(segment, bytes),
    }),
  };
}
