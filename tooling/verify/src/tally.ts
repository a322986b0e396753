/** The numbers of passed and failed tests and checks. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/** Formats the last line of every run. */
export function tallyLine({ passed, failed }: Tally): string {
  return `${passed} passed, ${failed} failed`;
}

/** Reads the tally from the last line of a command's output; null without a tally. */
export function readTally(output: string): Tally | null {
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/.exec(last.trim()) ?? [];
  return passed === undefined ? null : { passed: Number(passed), failed: Number(failed) };
}

/** Adds two tallies. */
export function addTallies(one: Tally, other: Tally): Tally {
  return { passed: one.passed + other.passed, failed: one.failed + other.failed };
}
