import { type ClientBase, Pool, type PoolClient, type PoolConfig } from "pg";
import { StoreRefusedError, StoreUnavailableError } from "../faults.ts";
import { openSchemaForCommand, openSchemaToServe } from "../migrations.ts";
import type { Transaction } from "../statement.ts";
import type { SubmissionStore } from "../store.ts";
import type { StoreIdentity } from "../store-identity.ts";
import { createStore } from "../store-of.ts";
import { transactionsOf } from "../transactions.ts";
import { COMMIT, errorCodeOf, executeTransaction } from "./execute-transaction.ts";
import { type BeginOperation, createGroups } from "./groups.ts";
import { postgres } from "./postgres-dialect.ts";

/** Settings of the connection to the PostgreSQL server. */
export interface PostgresSettings {
  readonly url: string;
  /** `serve` upgrades the schema; `beside`, for a command, expects the current schema. */
  readonly mode: "serve" | "beside";
  /** With `serve`: whether the store must exist and be made for real insurers. Default: a missing store is created. */
  readonly mustExist?: boolean | undefined;
  /**
   * Timeouts of a connection and of each statement, in milliseconds. Defaults: 2,000 and 5,000. The timeout of a
   * connection is also the longest wait of a submission for the previous group.
   */
  readonly connectMs?: number;
  readonly statementMs?: number;
}

/** Default timeout of a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 2_000;
/** Maximum of simultaneous groups. Groups have separate connections, so that other operations do not delay them. */
const MAX_GROUP_CONNECTIONS = 3;
/** Maximum of simultaneous transactions outside groups. */
const MAX_OTHER_CONNECTIONS = 7;
/** Time after a statement's timeout within which the server reports the timeout, in milliseconds. */
const REPORT_MARGIN_MS = 500;

/**
 * Opens the store in a PostgreSQL database.
 * @throws StoreUnavailableError if the database cannot be reached, StoreRefusedError if a newer gateway wrote the store
 */
export async function openPostgresStore(settings: PostgresSettings): Promise<SubmissionStore> {
  const serving = settings.mode === "serve" ? new WeakSet<PoolClient>() : null;
  const pool = openPool(settings, { max: MAX_OTHER_CONNECTIONS });
  // One connection stays open, so that a submission after a pause does not wait for a new connection.
  const groupPool = openPool(settings, { max: MAX_GROUP_CONNECTIONS, min: 1, pipeline: true });
  const runAlone = <Result>(begin: BeginOperation<Result>): Promise<Result> =>
    runAndCommit(pool, serving, (client) => executeTransaction(client, begin()));
  const inGroup = createGroups({
    runAlone,
    runAndCommit: (work) => runAndCommit(groupPool, serving, work),
    waitMs: settings.connectMs ?? CONNECT_TIMEOUT_MS,
  });
  const endPools = async (): Promise<void> => {
    await Promise.all([pool.end(), groupPool.end()]);
  };
  try {
    await runAlone(() => openSchemaFor(settings));
  } catch (error) {
    await endPools();
    throw error;
  }
  const operations = transactionsOf(postgres);
  const { close, run } = createClosableWork(endPools);
  return {
    ...createStore(operations, ({ begin }) => run(() => runAlone(begin)), {
      shared: true,
      isMoved: () => false,
      close,
    }),
    claim: (submission, rule) => {
      const begin = (): ReturnType<typeof operations.claim> => operations.claim(submission, rule);
      // A claim on an account with a quota must wait until each earlier claim has ended. Claims of one group cannot
      // wait for each other.
      return run(() => (rule.quota === null ? inGroup(begin) : runAlone(begin)));
    },
    settle: (settlement) => run(() => inGroup(() => operations.settle(settlement))),
  };
}

/** Runs functions that use the store, until the store is closed. */
interface ClosableWork {
  /** @throws StoreUnavailableError after a call of `close` */
  readonly run: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Waits until all running functions have ended. */
  readonly close: () => Promise<void>;
}

/** @param end - called once, after all work has ended */
function createClosableWork(end: () => Promise<void>): ClosableWork {
  let running = 0;
  let closing: Promise<void> | undefined;
  const idle = Promise.withResolvers<void>();
  return {
    async run(work) {
      if (closing !== undefined) throw new StoreUnavailableError("closed", false);
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
        if (closing !== undefined && running === 0) idle.resolve();
      }
    },
    close() {
      if (running === 0) idle.resolve();
      closing ??= idle.promise.then(end);
      return closing;
    },
  };
}

function openSchemaFor({
  mode,
  mustExist = false,
  url,
}: PostgresSettings): Transaction<StoreIdentity> {
  const name = databaseName(url);
  return mode === "serve"
    ? openSchemaToServe(postgres, { name, mustExist })
    : openSchemaForCommand(postgres, name);
}

/** Returns the name of a database for messages, without user and password. */
export function databaseName(url: string): string {
  const { host, pathname, port } = new URL(url);
  return `the database ${host || port}${pathname}`;
}

function openPool(
  { connectMs = CONNECT_TIMEOUT_MS, statementMs = 5_000, url }: PostgresSettings,
  connections: Pick<PoolConfig, "max" | "min" | "pipeline">,
): Pool {
  const pool = new Pool({
    connectionString: url,
    ...connections,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    // The client waits longer than the server: only an answer of the server proves that nothing was written.
    query_timeout: statementMs + REPORT_MARGIN_MS,
    // The server must release the locks of a transaction whose gateway is unreachable.
    idle_in_transaction_session_timeout: 2 * statementMs,
    application_name: "insurance-gateway",
  });
  // If a connection breaks, its query fails, and the pool opens another connection.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** Number of the database lock that all serving processes share, and that an exclusive command holds alone. */
const SERVING_LOCK_NUMBER = "7302611936";

/**
 * Runs work on a connection of a pool, and commits the work.
 * @param serving - connections that hold a serving process's lock; null for a command, which needs no lock
 */
async function runAndCommit<Result>(
  pool: Pool,
  serving: WeakSet<PoolClient> | null,
  run: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  let client: PoolClient | undefined;
  let mayBeWritten = false;
  try {
    client = await pool.connect();
    // Each connection takes the lock itself, so that a connection that replaces a lost connection cannot write while a
    // command copies the store.
    if (serving !== null && !serving.has(client)) {
      await lockAsServing(client);
      serving.add(client);
    }
    const result = await run(client);
    mayBeWritten = true;
    await client.query(COMMIT);
    client.release();
    return result;
  } catch (error) {
    // A connection that may be within a transaction is closed. A transaction without a commit writes nothing.
    client?.release(true);
    if (error instanceof StoreRefusedError || error instanceof StoreUnavailableError) throw error;
    throw new StoreUnavailableError(errorCodeOf(error), mayBeWritten);
  }
}

async function lockAsServing(client: PoolClient): Promise<void> {
  const { rows } = await client.query(
    `SELECT pg_try_advisory_lock_shared(${SERVING_LOCK_NUMBER}) AS locked`,
  );
  if (rows[0]?.locked === true) return;
  throw new StoreRefusedError(
    "A copy of this database is being made or restored. Start the gateway when that has ended.",
  );
}

/** Locks the database for an exclusive process until the connection ends; returns false while a gateway serves. */
export async function lockExclusively(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT pg_try_advisory_lock(${SERVING_LOCK_NUMBER}) AS locked`,
  );
  return rows[0]?.locked === true;
}
