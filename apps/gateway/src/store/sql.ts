import { hash } from "node:crypto";
import type { Locks, SqlValue, Statement, Transaction } from "./statement.ts";

/**
 * SQL condition for an open submission: the insurer may still act, or may have acted unnoticed. With `IN` and three
 * values, SQLite would create a table in memory for each check: claim and settlement would need a third more processor
 * time.
 */
export const IS_OPEN =
  "(state = 'in_flight' OR state = 'outcome_unknown' OR state = 'needs_review')";

/** Returns a statement with the values of its parameters. */
export function statement(sql: string, ...values: readonly SqlValue[]): Statement {
  return { sql, values };
}

/** Returns locks for numbers: a transaction that locks one of the numbers later waits until the first one ends. */
export function lock(...numbers: readonly bigint[]): Locks {
  return { locks: numbers };
}

/** Runs a statement that returns no rows, and returns the number of changed rows. */
export function* runWrite(write: Statement): Transaction<number> {
  const [row] = yield write;
  return Number(row?.changed);
}

/** Returns SQL placeholders for a list of values. The first placeholder has the number `first`. */
export function placeholdersFor(values: readonly unknown[], first: number): string {
  return values.map((_, index) => `$${index + first}`).join(", ");
}

/** Returns the number that a transaction locks for a digest: the first eight bytes of the digest. */
export function lockNumberOf(digest: Uint8Array): bigint {
  return Buffer.from(digest).readBigInt64BE(0);
}

/** Returns a digest of texts that name what a transaction locks. */
export function digestOf(...parts: readonly string[]): Uint8Array {
  return hash("sha256", JSON.stringify(parts), "buffer");
}
