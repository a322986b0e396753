import { existsSync, mkdirSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { Client } from "pg";
import { expectSchema, migrate, NOTHING_KEPT } from "./migrations.ts";
import { databaseOf, type StorePlace, sqliteFile } from "./open-store.ts";
import { postgres } from "./postgres/dialect.ts";
import { codeOf, drive } from "./postgres/drive.ts";
import { lockAlone } from "./postgres/postgres-store.ts";
import { openConnection } from "./sqlite/connection.ts";
import { sqlite } from "./sqlite/dialect.ts";
import { codeOf as sqliteCodeOf } from "./sqlite/fault.ts";
import type { Dialect, Transaction } from "./statement.ts";
import { StoreRefusedError, StoreUnavailableError } from "./store.ts";

/** A store that no gateway serves from while this process has it. */
export interface StoreAlone {
  readonly dialect: Dialect;
  /** Where it is, for messages: never with a password. */
  readonly name: string;
  /** Runs a transaction; it is on disk when this resolves. */
  run<Result>(transaction: Transaction<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** What a store is opened alone for: an `import` makes one where there is none. */
export type Purpose = "export" | "import";

/**
 * Opens a store for this process alone: no gateway can serve from it until it is closed.
 * @throws StoreRefusedError when a gateway serves from it, or there is none to export
 */
export async function openAlone(place: StorePlace, purpose: Purpose): Promise<StoreAlone> {
  const url = databaseOf(place);
  const store = url === null ? openFile(place, purpose) : await openDatabase(url);
  try {
    const { dialect } = store;
    await store.run(purpose === "import" ? migrate(dialect, true) : expectSchema(dialect));
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

function openFile(place: StorePlace, purpose: Purpose): StoreAlone {
  const file = sqliteFile(place);
  if (purpose === "export" && !existsSync(file)) throw new StoreRefusedError(NOTHING_KEPT);
  mkdirSync(place.data, { recursive: true });
  const connection = openConnection({ file, mode: "alone" });
  return {
    dialect: sqlite,
    name: file,
    async run(transaction) {
      try {
        return connection.transaction(() => connection.run(transaction));
      } catch (error) {
        throw failureOf(error, sqliteCodeOf);
      }
    },
    async close() {
      connection.close();
    },
  };
}

/** Of a gateway that has just ended, the server may still have the connections. */
const LOCK_ATTEMPTS = 20;
const LOCK_AGAIN_AFTER_MS = 100;
const CONNECT_MS = 5_000;

async function openDatabase(url: string): Promise<StoreAlone> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    pipeline: true,
    application_name: "insurance-gateway export or import",
  });
  // A connection that breaks fails the query that needs it.
  client.on("error", () => {});
  const run = async <Result>(transaction: Transaction<Result>): Promise<Result> => {
    try {
      const { committing, result } = await drive(client, transaction);
      await (committing ?? client.query("COMMIT"));
      return result;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {});
      throw failureOf(error, codeOf);
    }
  };
  try {
    await client.connect();
    await takeLock(client);
  } catch (error) {
    await client.end().catch(() => {});
    throw failureOf(error, codeOf);
  }
  const { host, port, pathname } = new URL(url);
  return {
    dialect: postgres,
    name: `${host || port}${pathname}`,
    run,
    close: () => client.end(),
  };
}

async function takeLock(client: Client): Promise<void> {
  for (let attempt = 1; attempt <= LOCK_ATTEMPTS; attempt++) {
    if (await lockAlone(client)) return;
    await setTimeout(LOCK_AGAIN_AFTER_MS);
  }
  throw new StoreRefusedError(
    "A gateway serves from this database, or another export or import works on it. Stop every gateway of it first.",
  );
}

/** Only the database's code: its message may quote values. */
function failureOf(error: unknown, code: (error: unknown) => string): unknown {
  const isKnown = error instanceof StoreRefusedError || error instanceof StoreUnavailableError;
  if (isKnown || error instanceof TypeError) return error;
  return new StoreUnavailableError(code(error), true);
}
