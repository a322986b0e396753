/** How many tests and checks passed and failed. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/** The last line of every run. */
export function tallyLine({ passed, failed }: Tally): string {
  return `${passed} passed, ${failed} failed`;
}

/** The tally that a command printed as its last line, or null when it did not. */
export function readTally(output: string): Tally | null {
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/.exec(last.trim()) ?? [];
  return passed === undefined ? null : { passed: Number(passed), failed: Number(failed) };
}

/** Adds two tallies. */
export function addTallies(one: Tally, other: Tally): Tally {
  return { passed: one.passed + other.passed, failed: one.failed + other.failed };
}
