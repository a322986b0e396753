import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreRefusedError } from "../faults.ts";
import { expectSchema, noStore, noStoreToServe, openSchema } from "../migrations.ts";
import type { Locks, Row, Statement, Transaction, Value } from "../statement.ts";
import { countCommits, findStore, markIfLost, saveCount } from "./commits.ts";
import { codeOf } from "./fault.ts";
import { sqlite } from "./sqlite-dialect.ts";
import { realPathOf, refuseSecondPath, rememberFiles } from "./sqlite-files.ts";
import type { WorkerSettings } from "./worker-messages.ts";

/** An open database file that runs operations. */
export interface Connection {
  /** The id of the store; empty if the schema was not opened for a gateway. */
  readonly id: string;
  /** Runs an operation inside the transaction that is open. */
  run<Result>(operation: Transaction<Result>): Result;
  /** Runs `work` in one transaction, which is on disk when this returns; nothing of it is when it throws. */
  transaction<Result>(work: () => Result): Result;
  /**
   * Whether its files are at their paths and have everything that was ever written. Otherwise nothing may be answered from them,
   * and what was just written does not last.
   */
  isWhole(): boolean;
  close(): void;
}

/**
 * Opens the file: write-ahead log, flushed at every commit, so that also a power cut loses nothing that was acknowledged.
 * @throws StoreRefusedError when another gateway serves from it, or a newer one wrote it
 */
export function openConnection(settings: WorkerSettings): Connection {
  const { mode, mustExist = false } = settings;
  // Nothing must be left behind where there was no file.
  if ((mode === "beside" || mustExist) && !existsSync(settings.file))
    throw new StoreRefusedError((mustExist ? noStoreToServe : noStore)(settings.file));
  // Every path to a file has the same lock, and the same log beside it.
  const file = realPathOf(settings.file);
  refuseSecondPath(file);
  const lock = mode === "beside" ? null : takeLock(`${file}.lock`, refusals[mode](file));
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
): Connection {
  const found = mode === "beside" ? null : findStore(file);
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    // SQLite keeps the undo data of statements and sorted rows in memory; otherwise it would create and delete files for them,
    // most of all in large groups. The log is copied into the database every 16 MB instead of every 4, while other
    // transactions wait. Both together took 24 % less processor time of the thread, at its highest rate of submissions.
    database.exec("PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000;");
    if (maximumPages !== undefined) database.exec(`PRAGMA max_page_count = ${maximumPages}`);
    const connection = connectionOf(database, lock);
    if (mode === "alone" && found !== null) {
      // In kB: a copy inserts at random into every index.
      database.exec("PRAGMA cache_size = -64000");
      markIfLost(database, found);
      return {
        ...connection,
        close() {
          try {
            // The command may have given the store another id.
            saveCount(database, file, found);
          } finally {
            connection.close();
          }
        },
      };
    }
    const schema =
      mode === "serve" ? openSchema(sqlite, { name: file, mustExist }) : expectSchema(sqlite, file);
    const { id } = connection.transaction(() => connection.run(schema));
    if (found === null) return connection;
    markIfLost(database, found);
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

/** Runs operations on a database that is open. */
export function connectionOf(database: DatabaseSync, lock: DatabaseSync | null): Connection {
  const prepared = new Map<string, (values: readonly Value[]) => readonly Row[]>();
  const prepare = (sql: string): ((values: readonly Value[]) => readonly Row[]) => {
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
        // A full disk may have ended the transaction already.
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

/** The refusal of a process that cannot have a file for itself. */
const refusals: Readonly<Record<"serve" | "alone", (file: string) => string>> = {
  serve: (file) =>
    `Another gateway serves from ${file}, and one process at a time can. Stop it first. Several processes need PostgreSQL (DATABASE_URL).`,
  alone: (file) =>
    `A gateway serves from ${file}, or another command works on it. Stop the gateway first.`,
};

/**
 * Locks a separate file until this process ends; the system releases the lock also after a kill. The operator's commands
 * can still open the database file itself.
 */
function takeLock(file: string, refusal: string): DatabaseSync {
  // A command that checks whether a gateway serves takes the lock for a moment.
  const lock = new DatabaseSync(file, { timeout: 200 });
  try {
    lock.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock.close();
    throw codeOf(error) === "SQLITE_BUSY" ? new StoreRefusedError(refusal) : error;
  }
}
