import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { StoreRefusedError } from "../faults.ts";
import { codeOf, isOtherContent } from "./fault.ts";
import { COUNT_SUFFIX } from "./sqlite-files.ts";

// A gateway counts the transactions that it writes: in the database's `user_version`, and in a file beside the database. An older
// state of the database has a lower count than the file, or than the gateway remembers. So a gateway notices that the log was
// removed after a kill, or that files were overwritten while it runs. SQLite keeps the number in 32 bits: it wraps.

/** The content of the count's file. It is written after each commit and not flushed: a power cut can only make it too low. */
interface Count {
  /** The id of the store. */
  readonly id: string;
  /** The count in the database with its log. */
  readonly commits: number;
  /** The count in the database without its log. */
  readonly withoutLog: number;
}

/** The count of a store that a gateway serves from. */
export interface CommitCount {
  /** Runs `work` in one transaction of `connection`, and counts it if it changes something. */
  transaction<Result>(
    connection: { transaction<Value>(work: () => Value): Value },
    work: () => Result,
  ): Result;
  /** Whether the database has everything that was committed, with its log and without. Once something is missing, it stays so. */
  isWhole(): boolean;
  /** Closes the database, too. */
  close(): void;
}

/** The counts of a store before SQLite opens it with its log. */
export interface FoundStore {
  /** The count in the file; null if there is no file, or if it has other content. */
  readonly counted: Count | null;
  /** The count in the database without its log. */
  readonly withoutLog: number;
}

/**
 * Reads the counts of a store that no process has open.
 * @param file - its real path
 * @throws StoreRefusedError when the database was replaced and has a log, which SQLite would mix with it
 */
export function findStore(file: string): FoundStore {
  const counted = readCount(file);
  const withoutLog = existsSync(file) ? readOnce(file) : 0;
  const isReplaced = counted !== null && isBehind(withoutLog, counted.withoutLog);
  if (isReplaced && (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new StoreRefusedError(
      [
        `${file} was replaced since a gateway served from it, and ${file}-wal may be the log of another database: SQLite would mix the two.`,
        "Put the newest files back. Otherwise move the files whose names begin with submissions.sqlite out of the folder together, keep them, and restore a backup with `insurance-gateway store restore FILE`.",
      ].join("\n"),
    );
  return { counted, withoutLog };
}

/**
 * Marks a store as restored if it lacks transactions that were counted, or if it was served from and has no count beside it.
 * @param database - without a transaction
 */
export function markIfLost(database: DatabaseSync, { counted }: FoundStore): void {
  const id = idIn(database);
  if (id === null) return;
  const commits = commitsIn(database);
  const isCounted = counted !== null && counted.id === id;
  if (isCounted ? !isBehind(commits, counted.commits) : commits === 0) return;
  // Higher than in the lost state, so that it is noticed if that one comes back.
  const next = after(isCounted ? counted.commits : commits);
  database.exec(
    `BEGIN IMMEDIATE;
    UPDATE gateway_store SET mark = 'restored', marked_at = ${Date.now()}, place = '' WHERE mark IN ('usual', 'restored');
    PRAGMA user_version = ${next};
    COMMIT`,
  );
}

/**
 * Writes the count of a store that is open to its file, and flushes it.
 * @param file - its real path
 */
export function saveCount(database: DatabaseSync, file: string, { withoutLog }: FoundStore): void {
  const id = idIn(database);
  if (id === null) return;
  const descriptor = openCount(file);
  try {
    writeCount(descriptor, { id, commits: commitsIn(database), withoutLog });
    // A count that a power cut removes would look as if somebody had.
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Begins to count the transactions of a store that is open.
 * @param file - its real path
 * @throws Error of SQLite or the system when the count cannot be read or written
 */
export function countCommits(database: DatabaseSync, file: string, found: FoundStore): CommitCount {
  saveCount(database, file, found);
  // From the first start on, a database without its log and its count shows that gateways have served from it.
  if (commitsIn(database) === 0)
    database.exec("PRAGMA user_version = 1; PRAGMA wal_checkpoint(TRUNCATE)");
  const id = String(idIn(database));
  let commits = commitsIn(database);
  let { withoutLog } = found;
  let isLost = false;
  const changes = database.prepare("SELECT total_changes() AS changes");
  const { countFile, databaseFile, second } = openFiles(file);
  const committed = second.prepare(READ_COMMITS);

  const keep = (): void => {
    try {
      writeCount(countFile, { id, commits, withoutLog });
    } catch {
      // The transaction is committed anyway. If the count is too low, fewer lost commits are noticed.
    }
  };
  const isAllThere = (): boolean => {
    const inFile = readWithoutLog(databaseFile);
    second.exec("PRAGMA shrink_memory");
    if (isBehind(inFile, withoutLog) || isBehind(countOf(committed), commits)) return false;
    if (inFile !== withoutLog) {
      // The file of the count must never reach the disk before the database.
      fsyncSync(databaseFile);
      withoutLog = inFile;
      keep();
    }
    return true;
  };
  const isWhole = (): boolean => {
    if (isLost) return false;
    try {
      if (isAllThere()) return true;
    } catch (error) {
      // The next transaction reports a disk that fails.
      if (!isOtherContent(error)) return true;
    }
    isLost = true;
    commits = after(commits);
    // The next start notices it, too, whatever this process has written to the files.
    keep();
    return false;
  };
  return {
    isWhole,
    transaction(connection, work) {
      let next = commits;
      const result = connection.transaction(() => {
        const before = changes.get()?.changes;
        const done = work();
        if (changes.get()?.changes !== before) {
          next = after(commits);
          database.exec(`PRAGMA user_version = ${next}`);
        }
        return done;
      });
      if (next !== commits) {
        commits = next;
        keep();
      }
      return result;
    },
    close() {
      const wasWhole = isWhole();
      // The connection that closes last copies its log into the database: not into another one. The second cannot write.
      if (wasWhole) second.close();
      database.close();
      if (!wasWhole) second.close();
      closeSync(databaseFile);
      closeSync(countFile);
    },
  };
}

/** Opens the files that a count is compared with and written to. None stays open when one cannot be opened. */
function openFiles(file: string): {
  readonly countFile: number;
  readonly databaseFile: number;
  readonly second: DatabaseSync;
} {
  // To close a file ends the locks that SQLite has on it in this process: it stays open as long as the database.
  const databaseFile = openSync(file, "r+");
  let countFile: number | undefined;
  try {
    countFile = openCount(file);
    // The first connection answers from its own memory; this one forgets its memory, and reads the files.
    const second = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    return { countFile, databaseFile, second };
  } catch (error) {
    closeSync(databaseFile);
    if (countFile !== undefined) closeSync(countFile);
    throw error;
  }
}

/** Whether the first count is the older one. */
function isBehind(commits: number, others: number): boolean {
  return ((commits - others) | 0) < 0;
}

/** The next count; only a database that no gateway has served from has 0. */
function after(commits: number): number {
  return (commits + 1) | 0 || 1;
}

const READ_COMMITS = "PRAGMA user_version";

function commitsIn(database: DatabaseSync): number {
  return countOf(database.prepare(READ_COMMITS));
}

function countOf(statement: StatementSync): number {
  return Number(statement.get()?.user_version);
}

/** Null where there is no store. */
function idIn(database: DatabaseSync): string | null {
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'gateway_store'").get();
  const row = table && database.prepare("SELECT id FROM gateway_store").get();
  return row === undefined ? null : String(row.id);
}

function readOnce(file: string): number {
  const descriptor = openSync(file, "r");
  try {
    return readWithoutLog(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Where a database file has its `user_version` (sqlite.org/fileformat2.html, 1.3). */
const USER_VERSION_AT = 60;

/** 0 in a file that is too short. Not read through SQLite: another process may be copying the log into the file. */
function readWithoutLog(descriptor: number): number {
  const bytes = Buffer.alloc(4);
  readSync(descriptor, bytes, 0, bytes.length, USER_VERSION_AT);
  return bytes.readInt32BE();
}

function readCount(file: string): Count | null {
  let content: string;
  try {
    content = readFileSync(file + COUNT_SUFFIX, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
  const [, id, commits, withoutLog] = /^(\S+) (-?\d+) (-?\d+) *$/.exec(content) ?? [];
  return id === undefined ? null : { id, commits: Number(commits), withoutLog: Number(withoutLog) };
}

function openCount(file: string): number {
  return openSync(file + COUNT_SUFFIX, constants.O_RDWR | constants.O_CREAT);
}

/** Longer than any count, so that nothing of an earlier one remains. */
const COUNT_BYTES = 200;

function writeCount(descriptor: number, { commits, id, withoutLog }: Count): void {
  writeSync(descriptor, `${id} ${commits} ${withoutLog}`.padEnd(COUNT_BYTES), 0);
}
