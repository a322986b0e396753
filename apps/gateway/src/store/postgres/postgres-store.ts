import { type ClientBase, Pool, type PoolClient, type PoolConfig } from "pg";
import { StoreRefusedError, StoreUnavailableError } from "../faults.ts";
import { expectSchema, openSchema } from "../migrations.ts";
import type { Transaction } from "../statement.ts";
import type { SubmissionStore } from "../store.ts";
import type { StoreIdentity } from "../store-identity.ts";
import { storeOf } from "../store-of.ts";
import { transactionsOf } from "../transactions.ts";
import { COMMIT, codeOf, drive } from "./drive.ts";
import { type Begin, createGroups } from "./groups.ts";
import { postgres } from "./postgres-dialect.ts";

/** How the store reaches its server. */
export interface PostgresSettings {
  readonly url: string;
  /** `serve` brings the schema up to date; `beside`, a command, expects it to be. */
  readonly mode: "serve" | "beside";
  /** With `serve`, whether a store must be there that was made for insurers; if left out, a new one is made. */
  readonly mustExist?: boolean | undefined;
  /**
   * The timeout of a connection, and then of each statement, in milliseconds. Defaults: 2,000 and 5,000. A submission waits
   * for those before it as long as for a connection.
   */
  readonly connectMs?: number;
  readonly statementMs?: number;
}

/** How long a connection may take unless said otherwise. */
const CONNECT_MS = 2_000;
/** How many groups of operations run at the same time. Their connections are their own, so that no other operation delays them. */
const GROUP_CONNECTIONS = 3;
/** How many other transactions run at the same time. */
const OTHER_CONNECTIONS = 7;
/** How long the server may take to answer that a statement took too long. */
const ANSWER_WITHIN_MS = 500;

/**
 * Opens the store in a PostgreSQL database.
 * @throws StoreUnavailableError when it cannot be reached, StoreRefusedError when a newer gateway wrote it
 */
export async function openPostgresStore(settings: PostgresSettings): Promise<SubmissionStore> {
  const serving = settings.mode === "serve" ? new WeakSet<PoolClient>() : null;
  const pool = openPool(settings, { max: OTHER_CONNECTIONS });
  // One stays open, so that a submission after a while need not connect first.
  const groupPool = openPool(settings, { max: GROUP_CONNECTIONS, min: 1, pipeline: true });
  const alone = <Result>(begin: Begin<Result>): Promise<Result> =>
    commit(pool, serving, (client) => drive(client, begin()));
  const inGroup = createGroups({
    alone,
    commit: (work) => commit(groupPool, serving, work),
    waitMs: settings.connectMs ?? CONNECT_MS,
  });
  const endPools = async (): Promise<void> => {
    await Promise.all([pool.end(), groupPool.end()]);
  };
  try {
    await alone(() => schemaOf(settings));
  } catch (error) {
    await endPools();
    throw error;
  }
  const operations = transactionsOf(postgres);
  const { close, run } = createClosable(endPools);
  return {
    ...storeOf(operations, ({ begin }) => run(() => alone(begin)), {
      shared: true,
      isMoved: () => false,
      close,
    }),
    claim: (submission, rule) => {
      const begin = (): ReturnType<typeof operations.claim> => operations.claim(submission, rule);
      // The claims of an account with a quota wait for each other until each has ended, which those of a group cannot.
      return run(() => (rule.quota === null ? inGroup(begin) : alone(begin)));
    },
    settle: (settlement) => run(() => inGroup(() => operations.settle(settlement))),
  };
}

/** Runs work until it is closed. */
interface Closable {
  /** @throws StoreUnavailableError once it is closed */
  readonly run: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Waits until all work has ended. */
  readonly close: () => Promise<void>;
}

/** @param end - called once, when all work has ended */
function createClosable(end: () => Promise<void>): Closable {
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

function schemaOf({ mode, mustExist = false, url }: PostgresSettings): Transaction<StoreIdentity> {
  const name = databaseName(url);
  return mode === "serve"
    ? openSchema(postgres, { name, mustExist })
    : expectSchema(postgres, name);
}

/** Names a database in messages, without its user and password. */
export function databaseName(url: string): string {
  const { host, pathname, port } = new URL(url);
  return `the database ${host || port}${pathname}`;
}

function openPool(
  { connectMs = CONNECT_MS, statementMs = 5_000, url }: PostgresSettings,
  connections: Pick<PoolConfig, "max" | "min" | "pipeline">,
): Pool {
  const pool = new Pool({
    connectionString: url,
    ...connections,
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

/** The number that serving processes lock together, and a command that must be alone by itself. */
const SERVING_LOCK = "7302611936";

/**
 * Runs statements on a connection of a pool, and commits what they wrote.
 * @param serving - the connections that have the lock of a serving process; null for a command, which needs none
 */
async function commit<Result>(
  pool: Pool,
  serving: WeakSet<PoolClient> | null,
  run: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  let client: PoolClient | undefined;
  let mayBeWritten = false;
  try {
    client = await pool.connect();
    // Every connection has it for itself: one that was lost, and made again, cannot write beside a copy.
    if (serving !== null && !serving.has(client)) {
      await lockServing(client);
      serving.add(client);
    }
    const result = await run(client);
    mayBeWritten = true;
    await client.query(COMMIT);
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
    "A copy of this database is being made or restored. Start the gateway when that has ended.",
  );
}

/** Takes the lock of the database for a process that must be alone with it, until the connection ends; false while a gateway serves. */
export async function lockAlone(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(`SELECT pg_try_advisory_lock(${SERVING_LOCK}) AS locked`);
  return rows[0]?.locked === true;
}
