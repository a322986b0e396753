import { type Client, type ClientBase, DatabaseError, Pool, type PoolClient } from "pg";
import { expectSchema, migrate, refuseWithoutSubmissions } from "../migrations.ts";
import type { Row, Statement, Transaction } from "../statement.ts";
import { StoreRefusedError, StoreUnavailableError, type SubmissionStore } from "../store.ts";
import { type RunTransaction, storeOf } from "../store-of.ts";
import { transactionsOf } from "../transactions.ts";
import { postgres } from "./dialect.ts";

/** How the store reaches its server. */
export interface PostgresSettings {
  readonly url: string;
  /** `serve` brings the schema up to date; `beside`, a command, expects it to be. */
  readonly mode: "serve" | "beside";
  /** Refuses a store without submissions, with this text; nothing is changed then. */
  readonly refuseEmpty?: string | undefined;
  /**
   * How long a connection, and then each statement, may take, in milliseconds; 2,000 and 5,000 when left out. Statements that
   * are sent together share the time of one.
   */
  readonly connectMs?: number;
  readonly statementMs?: number;
}

/** How many transactions run at the same time. */
const CONNECTIONS = 10;
/** How long the server may take to answer that a statement took too long. */
const ANSWER_WITHIN_MS = 500;

/**
 * Opens the store in a PostgreSQL database.
 * @throws StoreUnavailableError when it cannot be reached, StoreRefusedError when a newer gateway wrote it
 */
export async function openPostgresStore(settings: PostgresSettings): Promise<SubmissionStore> {
  const pool = openPool(settings);
  const serving = settings.mode === "serve" ? new WeakSet<PoolClient>() : null;
  const operations = transactionsOf(postgres);
  // Each name's operation gives what the store's method of that name promises.
  const run = ((name: keyof typeof operations, ...parameters: readonly never[]) =>
    transaction(
      pool,
      serving,
      (operations[name] as (...given: readonly never[]) => Transaction<unknown>)(...parameters),
    )) as RunTransaction;
  try {
    await transaction(pool, serving, schemaOf(settings));
  } catch (error) {
    await pool.end();
    throw error;
  }
  let closing: Promise<void> | undefined;
  return storeOf(run, {
    shared: true,
    close() {
      // The pool refuses to be ended a second time.
      closing ??= pool.end();
      return closing;
    },
  });
}

function* schemaOf({ mode, refuseEmpty }: PostgresSettings): Transaction<void> {
  if (refuseEmpty !== undefined) yield* refuseWithoutSubmissions(postgres, refuseEmpty);
  yield* mode === "serve" ? migrate(postgres) : expectSchema(postgres);
}

function openPool({ connectMs = 2_000, statementMs = 5_000, url }: PostgresSettings): Pool {
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    pipeline: true,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    // Later than the server's own: its answer says for certain that nothing was written.
    query_timeout: statementMs + ANSWER_WITHIN_MS,
    // The server must release the locks of a transaction whose gateway is unreachable.
    idle_in_transaction_session_timeout: 2 * statementMs,
    application_name: "insurance-gateway",
  });
  // When a connection breaks, its query fails, and the pool opens another one.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/**
 * The transactions' rules are said each time, because a database or a role may be set to others: what waits for a lock
 * must then see what its holder wrote, and a commit that is acknowledged must be on disk. The last setting is for
 * `hasBegun` of the dialect.
 */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = on;
  SET LOCAL gateway.has_begun = 'yes'`;

const COMMIT = "COMMIT";

/** The number that serving processes lock together, and an export or import alone. */
const SERVING_LOCK = "7302611936";

/** @param serving - the connections that have the lock of a serving process; null for a command, which needs none */
async function transaction<Result>(
  pool: Pool,
  serving: WeakSet<PoolClient> | null,
  operation: Transaction<Result>,
): Promise<Result> {
  let client: PoolClient | undefined;
  let mayBeWritten = false;
  try {
    client = await pool.connect();
    // Every connection has it for itself: one that was lost, and made again, cannot write beside an export or import.
    if (serving !== null && !serving.has(client)) {
      await lockServing(client);
      serving.add(client);
    }
    const { committing, result } = await drive(client, operation);
    mayBeWritten = true;
    await (committing ?? client.query(COMMIT));
    client.release();
    return result;
  } catch (error) {
    // A connection that may be in the middle of a transaction is not used again; without its commit it ends in nothing.
    client?.release(true);
    if (error instanceof StoreRefusedError || error instanceof StoreUnavailableError) throw error;
    throw new StoreUnavailableError(codeOf(error), mayBeWritten);
  }
}

async function lockServing(client: PoolClient): Promise<void> {
  const { rows } = await client.query(
    `SELECT pg_try_advisory_lock_shared(${SERVING_LOCK}) AS locked`,
  );
  if (rows[0]?.locked === true) return;
  throw new StoreRefusedError(
    "An export or import is working on this database. Start the gateway when it has ended.",
  );
}

/** Takes the lock of the database for a process that must be alone with it, until the connection ends; false while a gateway serves. */
export async function lockAlone(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(`SELECT pg_try_advisory_lock(${SERVING_LOCK}) AS locked`);
  return rows[0]?.locked === true;
}

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
    const beginning = [BEGIN];
    while (step.done !== true && step.value.isLock === true) {
      beginning.push(step.value.sql);
      step = operation.next([]);
    }
    const { stream } = client.connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
    const begun = client.query(beginning.join("; "));
    if (step.done === true || step.value.isSafeAlone !== true) await begun;
    let committing: Promise<unknown> | null = null;
    for (let sent = 0; step.done !== true && committing === null; sent += 1) {
      if (sent > 0 && step.value.endsTransaction === true)
        throw new TypeError("A statement that ends its transaction must be the first one in it");
      const answers = send(client, step.value);
      ({ committing } = answers);
      // The failure of the beginning is the cause of those after it.
      const [, rows] = await Promise.all([begun, answers.rows]).catch((error: unknown) => {
        throw committing === null || isCertain(error)
          ? error
          : new StoreUnavailableError(codeOf(error), true);
      });
      step = operation.next(rows);
    }
    if (step.done === true) return { result: step.value, committing };
    // Nothing was written.
    await committing;
  }
}

/** Sends a statement, and the commit with one that ends its transaction. */
function send(
  client: Client,
  { endsTransaction, isCounted, sql, values }: Statement,
): { readonly rows: Promise<readonly Row[]>; readonly committing: Promise<unknown> | null } {
  const answer = client.query(sql, [...values]);
  const committing = endsTransaction === true ? client.query(COMMIT) : null;
  // If the statement fails, nobody waits for the commit.
  committing?.catch(() => {});
  const rows = answer.then(({ rowCount, rows }) =>
    isCounted === true ? [{ changed: rowCount }] : rows,
  );
  return { rows, committing };
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
