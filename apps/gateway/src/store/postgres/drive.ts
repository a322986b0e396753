import type { ClientBase } from "pg";
import type { Locks, Row, Statement, Transaction } from "../statement.ts";

/**
 * The transactions' rules are set each time, because a database or a role may be set to others: a transaction that waits for
 * a lock must then see the rows that its holder wrote, and a commit that is acknowledged must be on disk.
 */
export const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = on";

export const COMMIT = "COMMIT";

/** Begins a transaction and runs its statements one after the other, up to its commit. */
export async function drive<Result>(
  client: ClientBase,
  transaction: Transaction<Result>,
): Promise<Result> {
  await client.query(BEGIN);
  let step = transaction.next();
  while (step.done !== true) step = transaction.next(await rowsOf(client, step.value));
  return step.value;
}

/**
 * Runs a statement, and returns its rows.
 * @param name - the server keeps the statement prepared under this name; null for a statement that is not kept
 */
export async function rowsOf(
  client: ClientBase,
  step: Statement | Locks,
  name: string | null = null,
): Promise<readonly Row[]> {
  const { sql, values } = "locks" in step ? lockAll(step.locks) : step;
  const result = await client.query({
    ...(name === null ? {} : { name }),
    text: sql,
    values: [...values],
  });
  return result.fields.length === 0 ? [{ changed: result.rowCount }] : result.rows;
}

/** Takes locks in one statement, in their order. */
export function lockAll(locks: readonly bigint[]): Statement {
  return {
    sql: `SELECT ${locks.map((number) => `pg_advisory_xact_lock('${number}'::BIGINT)`).join()}`,
    values: [],
  };
}

/** The server's or the system's code; their words may quote values. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if ("code" in error && typeof error.code === "string") return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  // The client's own words, which quote nothing.
  return error.message.includes("timeout") ? "timeout" : "connection lost";
}
