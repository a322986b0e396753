import type { ClientBase } from "pg";
import type { Locks, Row, Statement, Transaction } from "../statement.ts";

/**
 * Statements that begin a transaction and set its rules, because a database or a role may have other defaults: a
 * transaction that waits for a lock must see the rows that the lock's holder wrote, and an acknowledged commit must be
 * on disk.
 */
export const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = on";

export const COMMIT = "COMMIT";

/** Begins a transaction and runs its statements one after another, but does not commit. */
export async function executeTransaction<Result>(
  client: ClientBase,
  transaction: Transaction<Result>,
): Promise<Result> {
  await client.query(BEGIN);
  let step = transaction.next();
  while (step.done !== true) step = transaction.next(await executeStatement(client, step.value));
  return step.value;
}

/**
 * Runs a statement, and returns its rows.
 * @param name - name under which the server keeps the prepared statement; null for a statement that is not prepared
 */
export async function executeStatement(
  client: ClientBase,
  step: Statement | Locks,
  name: string | null = null,
): Promise<readonly Row[]> {
  const { sql, values } = "locks" in step ? lockStatement(step.locks) : step;
  const result = await client.query({
    ...(name === null ? {} : { name }),
    text: sql,
    values: [...values],
  });
  return result.fields.length === 0 ? [{ changed: result.rowCount }] : result.rows;
}

/** Returns one statement that locks the given numbers in the given order. */
export function lockStatement(locks: readonly bigint[]): Statement {
  return {
    sql: `SELECT ${locks.map((number) => `pg_advisory_xact_lock('${number}'::BIGINT)`).join()}`,
    values: [],
  };
}

/** Returns the error code of PostgreSQL or of the system, because error messages may contain values. */
export function errorCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if ("code" in error && typeof error.code === "string") return error.code;
  if (error instanceof AggregateError) return errorCodeOf(error.errors[0]);
  // The PostgreSQL client's own messages contain no values of parameters.
  return error.message.includes("timeout") ? "timeout" : "connection lost";
}
