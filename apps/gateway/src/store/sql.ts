import { createHash, hash } from "node:crypto";
import type { Statement, Transaction, Value } from "./statement.ts";

/**
 * That the insurer may act on a submission, or may have acted without anybody knowing. With `IN` and three values, SQLite makes
 * a table in memory each time that it checks the condition: a claim and its settlement take a third more processor time.
 */
export const OPEN = "(state = 'in_flight' OR state = 'outcome_unknown' OR state = 'needs_review')";

/** A statement with the values of its parameters. */
export function statement(sql: string, ...values: readonly Value[]): Statement {
  return { sql, values };
}

/** The text of a statement, with a name that no other text has in any process: a pooler may share its connections. */
export function named(sql: string): Pick<Statement, "name" | "sql"> {
  return { sql, name: `gateway_submissions ${hash("sha256", sql).slice(0, 32)}` };
}

/** Runs a statement that writes, and returns how many rows it changed. */
export function* change(write: Statement): Transaction<number> {
  const [row] = yield { ...write, isCounted: true };
  const changed = row?.changed;
  if (typeof changed !== "number")
    throw new TypeError("A statement with isCounted returned no count");
  return changed;
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
  return createHash("sha256").update(JSON.stringify(parts)).digest();
}
