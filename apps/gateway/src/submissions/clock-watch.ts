import type { Time } from "../time.ts";

/** Notices when somebody moves the clock, so that no time counts as passed that has not passed. */
export interface ClockWatch {
  /** Compares the clock with the time that has passed. To be done often: a movement is noticed at the next look. */
  look(): void;
  /** How far the clock was moved forward after an instant, in milliseconds; 0 also if it was moved back. */
  movedForwardSince(instant: number): number;
}

/** Smaller movements are corrections of a clock that runs well. They are less than what processes may differ by. */
const LEAST_MOVE_MS = 30_000;
/** Older movements are forgotten. */
const MOST_MOVES = 100;

/**
 * Watches the clock from now on. What was moved before cannot be known: the clock is believed when the process starts. While
 * the machine sleeps, the clock goes on and the measured time does not, so that a sleep counts as a movement.
 */
export function watchClock({ elapsed, now }: Pick<Time, "elapsed" | "now">): ClockWatch {
  let offset = now() - elapsed();
  let moves: readonly { readonly at: number; readonly by: number }[] = [];
  const look = (): void => {
    const at = now();
    const by = at - elapsed() - offset;
    offset += by;
    if (Math.abs(by) >= LEAST_MOVE_MS) moves = [...moves, { at: at - by, by }].slice(-MOST_MOVES);
  };
  return {
    look,
    movedForwardSince(instant) {
      look();
      const by = moves.reduce((sum, move) => (instant <= move.at ? sum + move.by : sum), 0);
      return Math.max(0, by);
    },
  };
}
