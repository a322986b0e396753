import type { Time } from "../time.ts";

/** Notices when somebody moves the clock, so that no time counts as passed that has not passed. */
export interface ClockWatch {
  /** Compares the clock with the time that has passed. To be done often: a movement is noticed at the next look. */
  look(): void;
  /**
   * How far the clock was moved forward after an instant, in whole milliseconds. A movement back takes nothing off: after
   * it, an instant of the clock can be before or after the movement.
   */
  movedForwardSince(instant: number): number;
  /**
   * How far the clock was moved forward, in whole milliseconds, within a measured time until now. By the clock, an instant
   * that is less than this time ago seems older by this at most.
   * @param milliseconds - the measured time
   */
  movedForwardWithin(milliseconds: number): number;
}

/** A movement forward: what the clock showed before it, how far, and when it was noticed, by `Time.elapsed()`. */
interface Move {
  readonly at: number;
  readonly by: number;
  readonly noticed: number;
}

/** Smaller movements are corrections of a clock that runs well. They are less than what processes may differ by. */
const LEAST_MOVE_MS = 30_000;

/**
 * Watches the clock from now on. What was moved before cannot be known: the clock is believed when the process starts. While
 * the machine sleeps, the clock goes on and the measured time does not, so that a sleep counts as a movement.
 * @param longestMs - the longest time that is measured with the clock, in milliseconds: how long a movement is remembered
 */
export function watchClock(
  { elapsed, now }: Pick<Time, "elapsed" | "now">,
  longestMs: number,
): ClockWatch {
  let offset = now() - elapsed();
  let moves: readonly Move[] = [];
  const look = (): void => {
    const noticed = elapsed();
    const by = now() - noticed - offset;
    offset += by;
    moves = moves.filter((move) => noticed - move.noticed < longestMs);
    // The measured time has fractions, which PostgreSQL does not accept in an instant. Rounded up, no time counts that has
    // not passed.
    if (by >= LEAST_MOVE_MS) moves = [...moves, { at: now() - by, by: Math.ceil(by), noticed }];
  };
  return {
    look,
    movedForwardSince(instant) {
      look();
      return moves.reduce((sum, move) => (instant <= move.at ? sum + move.by : sum), 0);
    },
    movedForwardWithin(milliseconds) {
      look();
      const since = elapsed() - milliseconds;
      return moves.reduce((sum, move) => (move.noticed > since ? sum + move.by : sum), 0);
    },
  };
}
