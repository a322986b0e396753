import { statement } from "./sql.ts";
import type { Dialect, TransactionsOf } from "./statement.ts";

/** A time by the store's clock, and the running time at that moment. */
export interface Moment {
  /** Milliseconds since 1970 by the store's clock, for people and for the retention of encrypted answers. */
  readonly at: number;
  /**
   * Running time in milliseconds: how long gateways have served from this store. Neither a stop of all gateways nor a
   * jump of the clock adds to this time. Durations after which the gateway may send again are measured in running time.
   */
  readonly running: number;
}

/** The running time at the last count, and the store's clock at the current moment. */
export interface CountedTime extends Moment {
  /** The store's clock at the last count, in milliseconds since 1970; 0 before the first count. */
  readonly countedAt: number;
}

/**
 * The running time of a store: the time for which gateways have served from the store. `now` is this process's clock,
 * which is the store's clock if only one process can serve. If several can, the database's own clock is used.
 */
export interface RunningTimeMethods {
  readRunningTime(now: number): Promise<CountedTime>;
  /** Adds the time since the last count: at least 0, and at most `most` milliseconds. */
  countRunningTime(now: number, most: number): Promise<Moment>;
}

/** Returns the statements that create the table of the running time. */
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
 * Returns SQL for the running time of a new row: the parameter, or the counted running time if that is later. After a
 * machine has slept, a process on this machine still has an older running time than other processes have counted.
 */
export function atLeastCounted(parameter: string): string {
  return `(SELECT CASE WHEN passed > ${parameter} THEN passed ELSE ${parameter} END FROM gateway_running_time WHERE number = 1)`;
}

/** Returns the transactions of the running time. */
export function runningTimeTransactions({
  isShared,
  now,
}: Pick<Dialect, "isShared" | "now">): TransactionsOf<RunningTimeMethods> {
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
