import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreRefusedError } from "../faults.ts";
import {
  noStoreMessage,
  noStoreToServeMessage,
  openSchemaForCommand,
  openSchemaToServe,
} from "../migrations.ts";
import type { Locks, Row, SqlValue, Statement, Transaction } from "../statement.ts";
import { countCommits, markRestoredIfLost, readFoundCounts, saveCount } from "./commits.ts";
import { errorCodeOf } from "./fault.ts";
import { sqlite } from "./sqlite-dialect.ts";
import { realPathOf, refuseSecondPath, rememberFiles } from "./sqlite-files.ts";
import type { WorkerSettings } from "./worker-messages.ts";

/** An open database file on which operations run. */
export interface SqliteConnection {
  /** Id of the store; empty if no gateway has opened the schema. */
  readonly id: string;
  /** Runs an operation within the open transaction. */
  run<Result>(operation: Transaction<Result>): Result;
  /** Runs `work` in one transaction, and returns when the transaction is on disk. If `work` throws, writes nothing. */
  transaction<Result>(work: () => Result): Result;
  /**
   * Reports whether the store's files are at their paths and contain all writes. If false, the gateway must not use the
   * files, and the last writes will be lost.
   */
  isWhole(): boolean;
  close(): void;
}

/**
 * Opens a database file with a write-ahead log that every commit flushes, so that even a power cut loses no
 * acknowledged write.
 * @throws StoreRefusedError if another gateway serves from the file, or a newer gateway wrote it
 */
export function openSqliteConnection(settings: WorkerSettings): SqliteConnection {
  const { mode, mustExist = false } = settings;
  // Without this check, SQLite would create a missing file.
  if ((mode === "beside" || mustExist) && !existsSync(settings.file))
    throw new StoreRefusedError(
      (mustExist ? noStoreToServeMessage : noStoreMessage)(settings.file),
    );
  // All paths to a file must lead to the same lock and the same log.
  const file = realPathOf(settings.file);
  refuseSecondPath(file);
  const lock = mode === "beside" ? null : lockFile(`${file}.lock`, refusalMessages[mode](file));
  try {
    return openDatabase({ ...settings, file }, lock);
  } catch (error) {
    lock?.close();
    throw error;
  }
}

function openDatabase(
  { file, maximumPages, mode, mustExist = false }: WorkerSettings,
  lock: DatabaseSync | null,
): SqliteConnection {
  const found = mode === "beside" ? null : readFoundCounts(file);
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    // SQLite keeps undo data of statements and sorted rows in memory, because SQLite would create and delete files for
    // this data, mostly in large groups. The log is copied into the database every 16 MB instead of every 4 MB, while
    // other transactions wait. Both settings took 24 % less processor time of the thread at the highest rate of
    // submissions.
    database.exec("PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000;");
    if (maximumPages !== undefined) database.exec(`PRAGMA max_page_count = ${maximumPages}`);
    const connection = sqliteConnectionOf(database, lock);
    if (mode === "exclusive" && found !== null) {
      // A negative cache size is in kB. The cache is large, because a copy inserts at random positions of every index.
      database.exec("PRAGMA cache_size = -64000");
      markRestoredIfLost(database, found);
      return {
        ...connection,
        close() {
          try {
            // The command that ends may have given the store a new id.
            saveCount(database, file, found);
          } finally {
            connection.close();
          }
        },
      };
    }
    const schema =
      mode === "serve"
        ? openSchemaToServe(sqlite, { name: file, mustExist })
        : openSchemaForCommand(sqlite, file);
    const { id } = connection.transaction(() => connection.run(schema));
    if (found === null) return connection;
    markRestoredIfLost(database, found);
    const count = countCommits(database, file, found);
    const areAtTheirPaths = rememberFiles(file);
    return {
      ...connection,
      id,
      transaction: (work) => count.transaction(connection, work),
      isWhole: () => areAtTheirPaths() && count.isWhole(),
      close() {
        count.close();
        lock?.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Returns a connection for an open database. */
export function sqliteConnectionOf(
  database: DatabaseSync,
  lock: DatabaseSync | null,
): SqliteConnection {
  const prepared = new Map<string, (values: readonly SqlValue[]) => readonly Row[]>();
  const prepare = (sql: string): ((values: readonly SqlValue[]) => readonly Row[]) => {
    // SQLite numbers its parameters with question marks.
    const statement = database.prepare(sql.replaceAll(/\$(\d+)/g, "?$1"));
    return statement.columns().length === 0
      ? (values) => [{ changed: statement.run(...values).changes }]
      : (values) => statement.all(...values);
  };
  const execute = (step: Statement | Locks): readonly Row[] => {
    if ("locks" in step) return [];
    const run = prepared.get(step.sql) ?? prepare(step.sql);
    prepared.set(step.sql, run);
    return run(step.values);
  };
  return {
    id: "",
    run(operation) {
      for (let step = operation.next(); ; step = operation.next(execute(step.value)))
        if (step.done === true) return step.value;
    },
    transaction(work) {
      database.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        database.exec("COMMIT");
        return result;
      } catch (error) {
        // SQLite may have ended the transaction already, because the disk is full.
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
    isWhole: () => true,
    close() {
      database.close();
      lock?.close();
    },
  };
}

/** Messages for a file that another process has locked. */
const refusalMessages: Readonly<Record<"serve" | "exclusive", (file: string) => string>> = {
  serve: (file) =>
    `Another gateway serves from ${file}, and only one process at a time can. Stop that gateway first. Several processes need PostgreSQL (DATABASE_URL).`,
  exclusive: (file) =>
    `A gateway serves from ${file}, or another command works on it. Stop the gateway first.`,
};

/**
 * Locks a file beside the database until this process ends. The system releases the lock even after a kill. The
 * operator's commands can still open the database file.
 */
function lockFile(file: string, refusal: string): DatabaseSync {
  // Wait for the lock: a command that checks whether a gateway serves holds it for a moment.
  const lock = new DatabaseSync(file, { timeout: 200 });
  try {
    lock.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock.close();
    throw errorCodeOf(error) === "SQLITE_BUSY" ? new StoreRefusedError(refusal) : error;
  }
}
