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
import { errorCodeOf, isOtherContent } from "./fault.ts";
import { COUNT_SUFFIX } from "./sqlite-files.ts";

// A gateway counts its transactions in the database's `user_version` and in a file beside the database. An older state
// of the database has a lower count than the file, or than the gateway remembers. So a gateway notices a log that was
// removed after a kill, and files that were overwritten while it runs. SQLite stores the number in 32 bits, so it wraps
// around.

/** Content of the count file, written after each commit without a flush: a power cut can only make it too low. */
interface CountFile {
  /** Id of the store. */
  readonly id: string;
  /** Count of the database with its log. */
  readonly commits: number;
  /** Count of the database without its log. */
  readonly withoutLog: number;
}

/** Counts the transactions of a store while a gateway serves from it. */
export interface CommitCount {
  /** Runs `work` in one transaction of `connection`, and counts the transaction if it changes something. */
  transaction<Result>(
    connection: { transaction<Value>(work: () => Value): Value },
    work: () => Result,
  ): Result;
  /** Reports whether the database has all commits, with its log and without. After a loss, the result stays false. */
  isWhole(): boolean;
  /** Closes the count and the database. */
  close(): void;
}

/** The counts of a store before SQLite opens it with its log. */
export interface FoundStore {
  /** Count in the file; null if there is no file, or if it has other content. */
  readonly counted: CountFile | null;
  /** Count of the database without its log. */
  readonly withoutLog: number;
}

/**
 * Reads the counts of a store that no process has open.
 * @param file - real path of the database
 * @throws StoreRefusedError if the database was replaced and has a log, which SQLite would mix with it
 */
export function readFoundStore(file: string): FoundStore {
  const counted = readCount(file);
  const withoutLog = existsSync(file) ? openAndReadCommits(file) : 0;
  const isReplaced = counted !== null && isOlderCount(withoutLog, counted.withoutLog);
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
 * Marks a store as restored if it lacks counted transactions, or if gateways have served from it and it has no count
 * file.
 * @param database - a database that is not in a transaction
 */
export function markIfLost(database: DatabaseSync, { counted }: FoundStore): void {
  const id = readStoreId(database);
  if (id === null) return;
  const commits = readCommits(database);
  const isCounted = counted !== null && counted.id === id;
  if (isCounted ? !isOlderCount(commits, counted.commits) : commits === 0) return;
  // Higher than the lost count, so that a return of the lost state is noticed.
  const next = nextCount(isCounted ? counted.commits : commits);
  database.exec(
    `BEGIN IMMEDIATE;
    UPDATE gateway_store SET mark = 'restored', marked_at = ${Date.now()}, place = '' WHERE mark IN ('usual', 'restored');
    PRAGMA user_version = ${next};
    COMMIT`,
  );
}

/**
 * Writes the count of an open store to its file, and flushes it.
 * @param file - real path of the database
 */
export function saveCount(database: DatabaseSync, file: string, { withoutLog }: FoundStore): void {
  const id = readStoreId(database);
  if (id === null) return;
  const descriptor = openCountFile(file);
  try {
    writeCount(descriptor, { id, commits: readCommits(database), withoutLog });
    // Without this call, a power cut could remove the new file.
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Begins to count the transactions of an open store.
 * @param file - real path of the database
 * @throws Error of SQLite or the system if the count cannot be read or written
 */
export function countCommits(database: DatabaseSync, file: string, found: FoundStore): CommitCount {
  saveCount(database, file, found);
  // After the first start, even a database without its log and its count shows that gateways have served from it.
  if (readCommits(database) === 0)
    database.exec("PRAGMA user_version = 1; PRAGMA wal_checkpoint(TRUNCATE)");
  const id = String(readStoreId(database));
  let commits = readCommits(database);
  let { withoutLog } = found;
  let isLost = false;
  const changes = database.prepare("SELECT total_changes() AS changes");
  const { countFile, databaseFile, second } = openCountFiles(file);
  const committed = second.prepare(READ_COMMITS);

  const keep = (): void => {
    try {
      writeCount(countFile, { id, commits, withoutLog });
    } catch {
      // The transaction is committed anyway. If the count is too low, the loss of a few commits is not noticed.
    }
  };
  const isAllThere = (): boolean => {
    const inFile = readWithoutLog(databaseFile);
    second.exec("PRAGMA shrink_memory");
    if (isOlderCount(inFile, withoutLog) || isOlderCount(countOf(committed), commits)) return false;
    if (inFile !== withoutLog) {
      // The database must be on disk before the count file.
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
      // The next transaction reports a failing disk.
      if (!isOtherContent(error)) return true;
    }
    isLost = true;
    commits = nextCount(commits);
    // The next start notices the loss, too, regardless of later writes of this process.
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
          next = nextCount(commits);
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
      // The last connection to close copies the log into the database. The second one cannot write, so after a loss it
      // is the last.
      if (wasWhole) second.close();
      database.close();
      if (!wasWhole) second.close();
      closeSync(databaseFile);
      closeSync(countFile);
    },
  };
}

/** Opens the files of a count. If one cannot be opened, no file stays open. */
function openCountFiles(file: string): {
  readonly countFile: number;
  readonly databaseFile: number;
  readonly second: DatabaseSync;
} {
  // Closing a file ends SQLite's locks on it in this process, so the file stays open as long as the database.
  const databaseFile = openSync(file, "r+");
  let countFile: number | undefined;
  try {
    countFile = openCountFile(file);
    // The first connection answers from its own memory. The second one drops its memory, and reads the files.
    const second = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    return { countFile, databaseFile, second };
  } catch (error) {
    closeSync(databaseFile);
    if (countFile !== undefined) closeSync(countFile);
    throw error;
  }
}

/** Reports whether the first count is older than the second. */
function isOlderCount(commits: number, others: number): boolean {
  return ((commits - others) | 0) < 0;
}

/** Returns the next count. Only a database from which no gateway has served has the count 0. */
function nextCount(commits: number): number {
  return (commits + 1) | 0 || 1;
}

const READ_COMMITS = "PRAGMA user_version";

function readCommits(database: DatabaseSync): number {
  return countOf(database.prepare(READ_COMMITS));
}

function countOf(statement: StatementSync): number {
  return Number(statement.get()?.user_version);
}

/** Returns the id of the store; null if there is no store. */
function readStoreId(database: DatabaseSync): string | null {
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'gateway_store'").get();
  const row = table && database.prepare("SELECT id FROM gateway_store").get();
  return row === undefined ? null : String(row.id);
}

function openAndReadCommits(file: string): number {
  const descriptor = openSync(file, "r");
  try {
    return readWithoutLog(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Position of `user_version` in a database file (sqlite.org/fileformat2.html, 1.3). */
const USER_VERSION_OFFSET = 60;

/** Reads the count; 0 in a short file. Does not use SQLite: another process may be copying the log into the file. */
function readWithoutLog(descriptor: number): number {
  const bytes = Buffer.alloc(4);
  readSync(descriptor, bytes, 0, bytes.length, USER_VERSION_OFFSET);
  return bytes.readInt32BE();
}

function readCount(file: string): CountFile | null {
  let content: string;
  try {
    content = readFileSync(file + COUNT_SUFFIX, "utf8");
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return null;
    throw error;
  }
  const [, id, commits, withoutLog] = /^(\S+) (-?\d+) (-?\d+) *$/.exec(content) ?? [];
  return id === undefined ? null : { id, commits: Number(commits), withoutLog: Number(withoutLog) };
}

function openCountFile(file: string): number {
  return openSync(file + COUNT_SUFFIX, constants.O_RDWR | constants.O_CREAT);
}

/** Length of the file's content. It is longer than any count, so that nothing of an earlier count remains. */
const COUNT_FILE_BYTES = 200;

function writeCount(descriptor: number, { commits, id, withoutLog }: CountFile): void {
  writeSync(descriptor, `${id} ${commits} ${withoutLog}`.padEnd(COUNT_FILE_BYTES), 0);
}
