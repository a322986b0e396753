import { existsSync, mkdirSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { Client } from "pg";
import type { StorePlace } from "../configuration/submission-store.ts";
import { StoreRefusedError, StoreUnavailableError } from "./faults.ts";
import { createSchema, expectVersion, noStoreMessage } from "./migrations.ts";
import { databaseOf, sqliteFile } from "./open-store.ts";
import { COMMIT, errorCodeOf, executeTransaction } from "./postgres/execute-transaction.ts";
import { postgres } from "./postgres/postgres-dialect.ts";
import { databaseName, lockExclusively } from "./postgres/postgres-store.ts";
import { openSqliteConnection, sqliteConnectionOf } from "./sqlite/connection.ts";
import { errorCodeOf as sqliteCodeOf } from "./sqlite/fault.ts";
import {
  hasSubmissions,
  isFileLocked,
  isPartOfInterruptedCopy,
  openReadOnlyFile,
} from "./sqlite/inspect-file.ts";
import { sqlite } from "./sqlite/sqlite-dialect.ts";
import { COUNT_SUFFIX } from "./sqlite/sqlite-files.ts";
import type { Dialect, Transaction } from "./statement.ts";
import { newIdentity } from "./store-identity.ts";

/** A store that this process has opened exclusively: no gateway can serve from the store until `close` is called. */
export interface ExclusiveStore {
  readonly dialect: Dialect;
  /** Name of the store for messages, without a password. */
  readonly name: string;
  /** Runs a transaction, and resolves when the transaction is on disk. */
  run<Result>(transaction: Transaction<Result>): Promise<Result>;
  close(): Promise<void>;
}

/**
 * Opens a store exclusively: no gateway can serve from the store until `close` is called.
 * @param purpose - `existing` for a store of this version, `new` for a place that may be empty
 * @throws StoreRefusedError if a gateway serves from the store, or there is no such store
 */
export async function openExclusive(
  place: StorePlace,
  purpose: "existing" | "new",
): Promise<ExclusiveStore> {
  const url = databaseOf(place);
  const store =
    url === null
      ? openFileExclusive(place, purpose)
      : await openDatabaseExclusive(url, databaseName(url));
  try {
    if (purpose === "existing") await store.run(expectVersion(store.dialect, store.name));
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Creates a place's store for a gateway with real insurers, and returns the store's name.
 * @throws StoreRefusedError if the place has a store, or if an SQLite file has submissions that were not copied
 */
export async function makeStore(place: StorePlace): Promise<string> {
  const file = sqliteFile(place);
  if (databaseOf(place) !== null && existsSync(file) && hasSubmissions(file))
    throw new StoreRefusedError(
      [
        `${file} has submissions that the database of DATABASE_URL lacks: a gateway with a new store would send them again.`,
        "Copy them: without DATABASE_URL, run `insurance-gateway store copy --to ADDRESS`.",
      ].join("\n"),
    );
  const store = await openExclusive(place, "new");
  try {
    await store.run(createSchema(store.dialect, store.name, newIdentity("insurers")));
    return store.name;
  } finally {
    await store.close();
  }
}

function openFileExclusive(place: StorePlace, purpose: "existing" | "new"): ExclusiveStore {
  const file = sqliteFile(place);
  if (purpose === "existing" && !existsSync(file))
    throw new StoreRefusedError(noStoreMessage(file));
  if (
    purpose === "new" &&
    existsSync(`${file}-wal`) &&
    !isFileLocked(file) &&
    !isPartOfInterruptedCopy(file)
  )
    throw new StoreRefusedError(logLeftMessage(file));
  if (purpose === "new" && existsSync(file + COUNT_SUFFIX) && !existsSync(file))
    throw new StoreRefusedError(countLeftMessage(file));
  mkdirSync(place.data, { recursive: true });
  const connection = openSqliteConnection({ file, mode: "exclusive" });
  return {
    dialect: sqlite,
    name: file,
    async run(transaction) {
      try {
        return connection.transaction(() => connection.run(transaction));
      } catch (error) {
        throw redactError(error, sqliteCodeOf);
      }
    },
    async close() {
      connection.close();
    },
  };
}

function countLeftMessage(file: string): string {
  return [
    `${file + COUNT_SUFFIX} is left of a store, and ${file} itself is missing. Bring it back, with the other files of the store, or restore a backup.`,
    "To restore a backup or to make a new store, move the files whose names begin with submissions.sqlite out of the folder first, and keep them.",
  ].join("\n");
}

function logLeftMessage(file: string): string {
  return [
    `${file}-wal is the log of a store that was not stopped in order; SQLite would mix its state with that of another database beside it.`,
    `If ${file} is there and whole, start and stop a gateway with it: the log is then part of it.`,
    "Otherwise move the files whose names begin with submissions.sqlite out of the folder together, and keep them: they may have submissions that a backup lacks.",
  ].join("\n");
}

/**
 * Opens a backup read-only. A backup is an SQLite file that no process uses.
 * @throws StoreRefusedError if there is no backup of this version, or the backup was copied from a store in use
 */
export async function openBackup(file: string): Promise<ExclusiveStore> {
  if (!existsSync(file)) throw new StoreRefusedError(`There is no file ${file}.`);
  if (existsSync(`${file}-wal`))
    throw new StoreRefusedError(
      [
        `${file}-wal is beside the backup: the backup was copied from a store in use, so the two files may not fit together.`,
        "Make backups with `sqlite3 submissions.sqlite \"VACUUM INTO 'backup.sqlite'\"`, even of files that no gateway uses.",
      ].join("\n"),
    );
  let database: DatabaseSync | undefined;
  try {
    database = openReadOnlyFile(file);
    const connection = sqliteConnectionOf(database, null);
    connection.run(expectVersion(sqlite, file));
    return {
      dialect: sqlite,
      name: file,
      run: async (transaction) => connection.run(transaction),
      async close() {
        connection.close();
      },
    };
  } catch (error) {
    database?.close();
    throw error instanceof StoreRefusedError
      ? error
      : new StoreRefusedError(`${file} must be a backup of a store (${sqliteCodeOf(error)}).`);
  }
}

/** Maximum of attempts to lock the database. PostgreSQL may still hold connections of a gateway that has just ended. */
const MAX_LOCK_ATTEMPTS = 20;
const LOCK_RETRY_MS = 100;
const CONNECT_TIMEOUT_MS = 5_000;

async function openDatabaseExclusive(url: string, name: string): Promise<ExclusiveStore> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: "insurance-gateway store",
  });
  // This listener ignores a broken connection, because the next query on the connection fails.
  client.on("error", () => {});
  const run = async <Result>(transaction: Transaction<Result>): Promise<Result> => {
    try {
      const result = await executeTransaction(client, transaction);
      await client.query(COMMIT);
      return result;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {});
      throw redactError(error, errorCodeOf);
    }
  };
  try {
    await client.connect();
    await lockDatabase(client);
  } catch (error) {
    await client.end().catch(() => {});
    throw redactError(error, errorCodeOf);
  }
  return {
    dialect: postgres,
    name,
    run,
    close: () => client.end(),
  };
}

async function lockDatabase(client: Client): Promise<void> {
  for (let attempt = 1; attempt <= MAX_LOCK_ATTEMPTS; attempt++) {
    if (await lockExclusively(client)) return;
    await setTimeout(LOCK_RETRY_MS);
  }
  throw new StoreRefusedError(
    "A gateway serves from this database, or another command works on it. Stop every gateway of it first.",
  );
}

/** Returns an error with the database's error code, and without the database's message, which may contain values. */
function redactError(error: unknown, code: (error: unknown) => string): unknown {
  const isKnown = error instanceof StoreRefusedError || error instanceof StoreUnavailableError;
  if (isKnown || error instanceof TypeError) return error;
  return new StoreUnavailableError(code(error), true);
}
