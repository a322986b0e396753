import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Row } from "../statement.ts";
import { StoreRefusedError, StoreUnavailableError } from "../store.ts";
import { openImmutable } from "./beside.ts";
import { isOtherContent, systemCodeOf } from "./fault.ts";

// Gateways count the transactions that they write to a store, in a row of the database and in a file beside it. An older state
// of the database has a lower number than the file, or than the gateway remembers. So a gateway notices that the log was
// removed after a kill, or that files were overwritten while it ran.

/** The file with the count, beside the database. */
export const COUNT_SUFFIX = ".count";

/** What the file of the count says. It is written after each commit and not flushed: a power cut can only make it too low. */
interface Count {
  /** The id of the store. */
  readonly id: string;
  /** How many transactions the database has with its log. */
  readonly commits: number;
  /** How many it has without its log. */
  readonly withoutLog: number;
}

/** What runs transactions. */
interface Transactional {
  transaction<Result>(work: () => Result): Result;
}

/** The count of a store that a gateway serves from. */
export interface CommitCount {
  /** Runs what is given in one transaction, and counts that if it changes something. */
  transaction<Result>(connection: Transactional, work: () => Result): Result;
  /**
   * Whether the database without its log has what was copied into it. To be asked after each commit, which may have copied the
   * log. Once something was missing, it is not asked again.
   */
  isDatabaseWhole(): boolean;
  /** Whether the database with its log has everything that was committed. To be asked before each transaction. */
  isWhole(): boolean;
  /** Closes the database, too. */
  close(): void;
}

const READ = "SELECT id, commits FROM gateway_store";

/** A store as a process finds it, before SQLite opens it with its log. */
export interface FoundStore {
  /** The count in the file; null where there is none that can be read. */
  readonly counted: Count | null;
  /** How many transactions the database has without its log. */
  readonly withoutLog: number;
}

/**
 * Reads what there is of a store, and changes nothing.
 * @param file - its real path
 * @throws StoreRefusedError when the database was replaced and has a log, which SQLite would mix with it
 */
export function findStore(file: string): FoundStore {
  // First, because a gateway that serves adds to both meanwhile.
  const counted = readCount(file);
  const row = readWithoutLog(file);
  const withoutLog = Number(row?.commits ?? 0);
  const isReplaced =
    counted !== null &&
    (withoutLog < counted.withoutLog || (row !== undefined && row.id !== counted.id));
  if (isReplaced && (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new StoreRefusedError(
      [
        `${file} was replaced since a gateway served from it, and ${file}-wal may be the log of another database: SQLite would mix the two.`,
        "Put the newest files back. Otherwise move the files whose names begin with submissions.sqlite out of the folder together, keep them, and restore a backup with `insurance-gateway store restore FILE`.",
      ].join("\n"),
    );
  return { counted, withoutLog };
}

/** The row of a store in a database without its log; undefined where there is none. */
function readWithoutLog(file: string): Row | undefined {
  if (!existsSync(file)) return undefined;
  const database = openImmutable(file);
  try {
    return readRow(database);
  } finally {
    database.close();
  }
}

function readRow(database: DatabaseSync): Row | undefined {
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'gateway_store'").get();
  return table === undefined ? undefined : database.prepare(READ).get();
}

/**
 * Marks a store as restored if it lacks transactions that were counted, or if it was served from and has no count beside it.
 * @param file - its real path
 */
export function markIfLost(
  database: DatabaseSync,
  file: string,
  { counted, withoutLog }: FoundStore,
): void {
  const row = readRow(database);
  if (row === undefined) return;
  const commits = Number(row.commits);
  // A command that makes, copies, restores or marks a store begins to count at 0. A kill after a checkpoint leaves a database
  // that has everything, and whose file of the count does not say so.
  const isLost =
    counted === null || counted.id !== row.id
      ? commits > 0
      : commits < counted.commits || ![counted.withoutLog, commits].includes(withoutLog);
  if (!isLost) return;
  // More than the lost state has, so that it is noticed if that one comes back.
  const next = Math.max(commits, counted?.commits ?? 0) + 1;
  database
    .prepare(
      "UPDATE gateway_store SET commits = ?, mark = 'restored', marked_at = ?, place = '' WHERE mark IN ('usual', 'restored')",
    )
    .run(next, Date.now());
  writeCountOnce(file, { id: String(row.id), commits: next, withoutLog });
}

/**
 * Begins to count the transactions of a store that is open.
 * @param file - its real path
 * @throws StoreUnavailableError when the file of the count cannot be written
 */
export function countCommits(
  database: DatabaseSync,
  file: string,
  { withoutLog }: FoundStore,
): CommitCount {
  const row = database.prepare(READ).get();
  const id = String(row?.id);
  let commits = Number(row?.commits);
  writeCountOnce(file, { id, commits, withoutLog });
  if (commits === 0) {
    // From now on a database without its log and its count shows that gateways have served from it.
    commits = 1;
    database.exec("UPDATE gateway_store SET commits = 1; PRAGMA wal_checkpoint(TRUNCATE)");
  }
  let lastWithoutLog = withoutLog;
  let lookedAt = 0n;
  let isLost = false;
  const update = database.prepare("UPDATE gateway_store SET commits = ?");
  const changes = database.prepare("SELECT total_changes() AS changes");
  // The first connection answers from its own memory; this one forgets its memory, and reads the files.
  const second = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  const read = second.prepare(READ);
  const descriptor = openCount(file);

  const keep = (): void => {
    try {
      writeCount(descriptor, { id, commits, withoutLog: lastWithoutLog });
    } catch {
      // What was counted is committed all the same, and a count that is too low only notices less.
    }
  };
  /** Whether the database without its log has not gone back. Only a checkpoint may write to it. */
  const isWholeWithoutLog = (): boolean => {
    const { mtimeNs } = statSync(file, { bigint: true });
    if (mtimeNs === lookedAt) return true;
    const found = Number(readWithoutLog(file)?.commits ?? 0);
    if (found < lastWithoutLog) return false;
    lastWithoutLog = found;
    lookedAt = mtimeNs;
    keep();
    return true;
  };
  const isWholeWithLog = (): boolean => {
    second.exec("PRAGMA shrink_memory");
    const found = read.get();
    return found?.id === id && Number(found.commits) >= commits;
  };
  const isWholeBy = (...checks: readonly (() => boolean)[]): boolean => {
    if (isLost) return false;
    try {
      if (checks.every((check) => check())) return true;
    } catch (error) {
      // The next transaction reports a disk that fails.
      if (!isOtherContent(error)) return true;
    }
    isLost = true;
    commits += 1;
    // The next start notices it, too, whatever this process has written to the files.
    keep();
    return false;
  };
  const isWhole = (): boolean => isWholeBy(isWholeWithoutLog, isWholeWithLog);
  return {
    transaction(connection, work) {
      let next = commits;
      const result = connection.transaction(() => {
        const before = changes.get()?.changes;
        const done = work();
        if (changes.get()?.changes !== before) update.run(++next);
        return done;
      });
      if (next !== commits) {
        commits = next;
        keep();
      }
      return result;
    },
    isDatabaseWhole: () => isWholeBy(isWholeWithoutLog),
    isWhole,
    close() {
      const wasWhole = isWhole();
      closeSync(descriptor);
      // The connection that closes last copies its log into the database: not into another one. The second cannot write.
      if (wasWhole) second.close();
      database.close();
      if (!wasWhole) second.close();
    },
  };
}

/** Null where there is none, or none that can be read. */
function readCount(file: string): Count | null {
  try {
    return JSON.parse(readFileSync(file + COUNT_SUFFIX, "utf8")); // only writeCount writes it
  } catch {
    return null;
  }
}

/** @throws StoreUnavailableError with the system's code */
function writeCountOnce(file: string, count: Count): void {
  try {
    const descriptor = openCount(file);
    try {
      writeCount(descriptor, count);
      // A count that a power cut removes would look as if somebody had.
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw new StoreUnavailableError(systemCodeOf(error), false);
  }
}

function openCount(file: string): number {
  return openSync(file + COUNT_SUFFIX, constants.O_RDWR | constants.O_CREAT);
}

/** Longer than any count, so that nothing of an earlier one remains. */
const COUNT_BYTES = 200;

function writeCount(descriptor: number, count: Count): void {
  writeSync(descriptor, JSON.stringify(count).padEnd(COUNT_BYTES), 0);
}
