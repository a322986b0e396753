import type { LoadSecond } from "../load/plan.ts";

/** So many seconds share a line. */
const SECONDS_A_LINE = 5;

/** Tells, every few seconds, what a load is doing. */
export function showSeconds(progress: (text: string) => void): (second: LoadSecond) => void {
  let seconds = 0;
  let good = 0;
  let other = 0;
  return (second) => {
    seconds += 1;
    good += second.good;
    other += second.other;
    if (seconds % SECONDS_A_LINE !== 0) return;
    progress(`${seconds} s: ${good} good, ${other} other, ${second.inFlight} under way`);
    good = other = 0;
  };
}
