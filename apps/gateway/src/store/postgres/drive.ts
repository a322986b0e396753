import { type Client, DatabaseError } from "pg";
import type { Row, Statement, Transaction } from "../statement.ts";
import { StoreUnavailableError } from "../store.ts";

/**
 * The transactions' rules are set each time, because a database or a role may be set to others: what waits for a lock
 * must then see what its holder wrote, and a commit that is acknowledged must be on disk.
 */
export const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = on`;

/** For `holdsLocks` of the dialect. */
const HOLDS_LOCKS = "SET LOCAL gateway.holds_locks = 'yes'";

export const COMMIT = "COMMIT";

/** A transaction whose statements were run. */
export interface Driven<Result> {
  readonly result: Result;
  /** Its commit, if it was sent with its last statement; null if it is still to be sent. */
  readonly committing: Promise<unknown> | null;
}

/**
 * Begins a transaction and runs its statements, up to its commit. The beginning, the locks that are taken first, a statement
 * after them that is safe alone, and the commit if that statement ends the transaction, are sent in one write, and wait for the
 * server once.
 * @param client - made with `pipeline: true`
 * @throws StoreUnavailableError if the commit was sent, and it is not certain that the server refused it
 */
export async function drive<Result>(
  client: Client,
  operation: Transaction<Result>,
): Promise<Driven<Result>> {
  let step = operation.next();
  for (;;) {
    const beginning = [BEGIN, HOLDS_LOCKS];
    while (step.done !== true && step.value.locks !== undefined) {
      beginning.push(step.value.sql);
      step = operation.next([]);
    }
    sendInOneWrite(client);
    const begun = client.query(beginning.join("; "));
    if (step.done === true || step.value.isSafeAlone !== true) await begun;
    let committing: Promise<unknown> | null = null;
    for (let sent = 0; step.done !== true && committing === null; sent += 1) {
      const { endsTransaction } = step.value;
      if (sent > 0 && endsTransaction === true)
        throw new TypeError("A statement that ends its transaction must be the first one in it");
      const answer = rowsOf(client, step.value);
      if (endsTransaction === true) committing = commit(client);
      const [, rows] = await answers(begun, [answer], committing !== null);
      step = operation.next(rows ?? []);
    }
    if (step.done === true) return { result: step.value, committing };
    // Nothing was written.
    await committing;
  }
}

/** Sends in one write what is sent until the code that runs now has ended. */
export function sendInOneWrite(client: Client): void {
  const { stream } = client.connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * Sends a statement, and returns its rows.
 * @param isPrepared - whether the server keeps a statement with a name prepared
 */
export async function rowsOf(
  client: Client,
  { isCounted, name, sql, values }: Statement,
  isPrepared: boolean = false,
): Promise<readonly Row[]> {
  const named = isPrepared && name !== undefined ? { name } : {};
  const query = { ...named, text: sql, values: [...values] };
  const { rowCount, rows } = await client.query(query);
  return isCounted === true ? [{ changed: rowCount }] : rows;
}

/** Sends a commit with the statements before it. If one of those fails, nobody waits for the commit. */
export function commit(client: Client): Promise<unknown> {
  const committing = client.query(COMMIT);
  committing.catch(() => {});
  return committing;
}

/**
 * Waits for the beginning of a transaction and for the rows of its statements. The failure of the beginning is the cause of
 * those after it.
 * @throws StoreUnavailableError if the commit was sent, and it is not certain that the server refused it
 */
export async function answers(
  begun: Promise<unknown>,
  sent: readonly Promise<readonly Row[]>[],
  isCommitSent: boolean,
): Promise<readonly [unknown, ...(readonly Row[])[]]> {
  try {
    return await Promise.all([begun, ...sent]);
  } catch (error) {
    throw !isCommitSent || isCertain(error)
      ? error
      : new StoreUnavailableError(codeOf(error), true);
  }
}

/** The classes of SQLSTATE that a server or a pooler reports when a connection ends, whatever was sent before. */
const CONNECTION_ENDS = /^(08|57P)/;

/** Whether the server has answered that a statement failed: then it does not commit, although it has the commit too. */
function isCertain(error: unknown): boolean {
  return (
    error instanceof DatabaseError && error.code !== undefined && !CONNECTION_ENDS.test(error.code)
  );
}

/** The server's or the system's code; their words may quote values. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if ("code" in error && typeof error.code === "string") return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  // The client's own words, which quote nothing.
  return error.message.includes("timeout") ? "timeout" : "connection lost";
}
