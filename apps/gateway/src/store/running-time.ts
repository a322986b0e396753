import { statement } from "./sql.ts";
import type { Dialect, TransactionsOf } from "./statement.ts";

/** One moment, by the store's clock and by its running time. */
export interface Moment {
  /** Milliseconds since 1970, by the store's clock: for people, and for how long encrypted answers are stored. */
  readonly at: number;
  /**
   * Milliseconds of running time: how long gateways have served from this store. A stop of all gateways adds nothing to it,
   * nor does a jump of the clock. Durations after which something may be sent again are measured with it.
   */
  readonly running: number;
}

/** The running time as it was counted last, and the clock now. */
export interface CountedTime extends Moment {
  /** The store's clock when it was counted last, in milliseconds since 1970; 0 before the first time. */
  readonly countedAt: number;
}

/**
 * The running time of a store. `now` is this process's clock, which is the clock of a store that no other process serves
 * from; where several do, the database's own clock counts.
 */
export interface RunningTimeStore {
  readRunningTime(now: number): Promise<CountedTime>;
  /** Adds the time that has passed since it was counted last: at least nothing, and at most `most` milliseconds. */
  countRunningTime(now: number, most: number): Promise<Moment>;
}

/** The table of the running time. */
export function runningTimeTables({ integer }: Pick<Dialect, "integer">): readonly string[] {
  return [
    `CREATE TABLE gateway_running_time (
      number ${integer} PRIMARY KEY,
      passed ${integer} NOT NULL,
      counted_at ${integer} NOT NULL
    )`,
    "INSERT INTO gateway_running_time (number, passed, counted_at) VALUES (1, 0, 0)",
  ];
}

/**
 * The running time for a row that is written, from a process's parameter. A machine that has just slept knows an older one
 * than the other processes have counted since: theirs counts.
 */
export function atLeastCounted(parameter: string): string {
  return `(SELECT CASE WHEN passed > ${parameter} THEN passed ELSE ${parameter} END FROM gateway_running_time WHERE number = 1)`;
}

/** The transactions of the running time. */
export function runningTimeTransactions({
  isShared,
  now,
}: Pick<Dialect, "isShared" | "now">): TransactionsOf<RunningTimeStore> {
  const timeFrom = (parameter: string): string => (isShared ? now : parameter);
  const count = `UPDATE gateway_running_time SET counted_at = ${timeFrom("$2")}, passed = passed + CASE
    WHEN ${timeFrom("$2")} < counted_at THEN 0
    WHEN ${timeFrom("$2")} - counted_at > $1 THEN $1
    ELSE ${timeFrom("$2")} - counted_at END
    RETURNING passed, counted_at`;
  return {
    *readRunningTime(processNow) {
      const [row] = yield statement(
        `SELECT passed, counted_at, ${timeFrom("$1")} AS at FROM gateway_running_time`,
        ...(isShared ? [] : [processNow]),
      );
      return {
        at: Number(row?.at),
        running: Number(row?.passed),
        countedAt: Number(row?.counted_at),
      };
    },
    *countRunningTime(processNow, most) {
      const [row] = yield statement(count, most, ...(isShared ? [] : [processNow]));
      return { at: Number(row?.counted_at), running: Number(row?.passed) };
    },
  };
}
