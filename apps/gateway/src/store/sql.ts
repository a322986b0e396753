import { hash } from "node:crypto";
import type { Locks, Statement, Transaction, Value } from "./statement.ts";

/**
 * That the insurer may act on a submission, or may have acted without anybody knowing. With `IN` and three values, SQLite makes
 * a table in memory each time that it checks the condition: a claim and its settlement take a third more processor time.
 */
export const OPEN = "(state = 'in_flight' OR state = 'outcome_unknown' OR state = 'needs_review')";

/** A statement with the values of its parameters. */
export function statement(sql: string, ...values: readonly Value[]): Statement {
  return { sql, values };
}

/** Has other transactions that lock one of the same numbers wait until this one ends. */
export function lock(...numbers: readonly bigint[]): Locks {
  return { locks: numbers };
}

/** Runs a statement that writes and returns no rows, and returns how many rows it changed. */
export function* change(write: Statement): Transaction<number> {
  const [row] = yield write;
  return Number(row?.changed);
}

/** The places of a list of values, the first of which is parameter number `first`. */
export function placesFor(values: readonly unknown[], first: number): string {
  return values.map((_, index) => `$${index + first}`).join(", ");
}

/** The number to lock for a digest: its first eight bytes. */
export function numberOf(digest: Uint8Array): bigint {
  return Buffer.from(digest).readBigInt64BE(0);
}

/** A digest of what must be locked together. */
export function digestOf(...parts: readonly string[]): Uint8Array {
  return hash("sha256", JSON.stringify(parts), "buffer");
}
