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

// A gateway counts its transactions in the database's `user_version` and in a file beside the database. An older copy
// of the database has a lower count than this count file or the running gateway's memory. So a gateway notices if the
// log was removed after a kill, or if files were overwritten while it runs. SQLite stores the count in 32 bits, so the
// count wraps around.

/** Content of the count file. Commits write the file without a flush, so a power cut can make the count too low. */
interface CountFile {
  /** Id of the store. */
  readonly id: string;
  /** Count of transactions in the database together with its log. */
  readonly commits: number;
  /** Count in the database file alone, without its log. */
  readonly withoutLog: number;
}

/** Counter of an open store's transactions, while a gateway serves from the store. */
export interface CommitCount {
  /** Runs `work` in one transaction of `connection`, and counts a transaction that changes something. */
  transaction<Result>(
    connection: { transaction<Value>(work: () => Value): Value },
    work: () => Result,
  ): Result;
  /** Reports whether the store's files have all counted transactions. After a loss, the result stays false. */
  isWhole(): boolean;
  /** Closes the count file and the database. */
  close(): void;
}

/** The counts of a store before SQLite opens the database with its log. */
export interface FoundCounts {
  /** Content of the count file; null if the file is missing or damaged. */
  readonly counted: CountFile | null;
  /** Count in the database file alone, without its log. */
  readonly withoutLog: number;
}

/**
 * Reads the counts of a store that no process has open.
 * @param file - real path of the database
 * @throws StoreRefusedError if the database was replaced and a log is left, which SQLite would mix with the database
 */
export function readFoundCounts(file: string): FoundCounts {
  const counted = readCount(file);
  const withoutLog = existsSync(file) ? openAndReadCommits(file) : 0;
  const isReplaced = counted !== null && isOlderCount(withoutLog, counted.withoutLog);
  if (isReplaced && (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new StoreRefusedError(
      [
        `${file} was replaced since a gateway served from it, and ${file}-wal may be the log of another database: SQLite would mix the two.`,
        "If you have the newest files of this database, put them back. If not, move the files whose names begin with submissions.sqlite out of the folder together, keep them, and restore a backup with `insurance-gateway store restore FILE`.",
      ].join("\n"),
    );
  return { counted, withoutLog };
}

/**
 * Marks a store as restored if the store lacks counted transactions, or if gateways have served from the store and the
 * count file is missing.
 * @param database - a database that is not in a transaction
 */
export function markRestoredIfLost(database: DatabaseSync, { counted }: FoundCounts): void {
  const id = readStoreId(database);
  if (id === null) return;
  const commits = readCommits(database);
  const isCounted = counted !== null && counted.id === id;
  if (isCounted ? !isOlderCount(commits, counted.commits) : commits === 0) return;
  // The new count is higher than the lost count, so that the gateway notices if the lost files return.
  const next = nextCount(isCounted ? counted.commits : commits);
  database.exec(
    `BEGIN IMMEDIATE;
    UPDATE gateway_store SET mark = 'restored', marked_at = ${Date.now()}, place = '' WHERE mark IN ('usual', 'restored');
    PRAGMA user_version = ${next};
    COMMIT`,
  );
}

/**
 * Writes the count of an open store to the count file, and flushes the file to disk.
 * @param file - real path of the database
 */
export function saveCount(database: DatabaseSync, file: string, { withoutLog }: FoundCounts): void {
  const id = readStoreId(database);
  if (id === null) return;
  const descriptor = openCountFile(file);
  try {
    writeCount(descriptor, { id, commits: readCommits(database), withoutLog });
    // Without a flush of the folder, a power cut could remove the new file.
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
export function countCommits(
  database: DatabaseSync,
  file: string,
  found: FoundCounts,
): CommitCount {
  saveCount(database, file, found);
  // After this write, even a database without its log and count file shows that gateways have served from the database.
  if (readCommits(database) === 0)
    database.exec("PRAGMA user_version = 1; PRAGMA wal_checkpoint(TRUNCATE)");
  const id = String(readStoreId(database));
  let commits = readCommits(database);
  let { withoutLog } = found;
  let isLost = false;
  const changes = database.prepare("SELECT total_changes() AS changes");
  const { countFile, databaseFile, second } = openCountFiles(file);
  const committed = second.prepare(READ_COMMITS_STATEMENT);

  const keep = (): void => {
    try {
      writeCount(countFile, { id, commits, withoutLog });
    } catch {
      // The transaction is committed. If the count is too low, the gateway does not notice the loss of a few commits.
    }
  };
  const isAllThere = (): boolean => {
    const inFile = readWithoutLog(databaseFile);
    second.exec("PRAGMA shrink_memory");
    if (isOlderCount(inFile, withoutLog) || isOlderCount(runCountStatement(committed), commits))
      return false;
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
      // The next transaction reports a failure of the disk.
      if (!isOtherContent(error)) return true;
    }
    isLost = true;
    commits = nextCount(commits);
    // The next start of a gateway must notice the loss, even if this process writes afterwards.
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
      // The connection that closes last copies the log into the database. The second connection cannot write, so after
      // a loss it is closed last.
      if (wasWhole) second.close();
      database.close();
      if (!wasWhole) second.close();
      closeSync(databaseFile);
      closeSync(countFile);
    },
  };
}

/** Opens the count file, the database file and a second connection. Closes all three if one cannot be opened. */
function openCountFiles(file: string): {
  readonly countFile: number;
  readonly databaseFile: number;
  readonly second: DatabaseSync;
} {
  // Closing a file ends SQLite's locks on the file in this process, so the file stays open as long as the database.
  const databaseFile = openSync(file, "r+");
  let countFile: number | undefined;
  try {
    countFile = openCountFile(file);
    // The first connection answers from its memory. The second connection clears its memory and reads the files.
    const second = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    return { countFile, databaseFile, second };
  } catch (error) {
    closeSync(databaseFile);
    if (countFile !== undefined) closeSync(countFile);
    throw error;
  }
}

/** Reports whether the count `commits` is older than the count `others`. */
function isOlderCount(commits: number, others: number): boolean {
  return ((commits - others) | 0) < 0;
}

/** Returns the next count, which is never 0: a count of 0 means that no gateway has served from the database. */
function nextCount(commits: number): number {
  return (commits + 1) | 0 || 1;
}

const READ_COMMITS_STATEMENT = "PRAGMA user_version";

function readCommits(database: DatabaseSync): number {
  return runCountStatement(database.prepare(READ_COMMITS_STATEMENT));
}

function runCountStatement(statement: StatementSync): number {
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

/** Offset of `user_version` in a database file, in bytes (sqlite.org/fileformat2.html, 1.3). */
const USER_VERSION_OFFSET = 60;

/** Reads the count from the database file itself, without the log; returns 0 for a short file. */
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

/** Length of the count file in bytes, longer than any count, so that a new count overwrites the whole earlier count. */
const COUNT_FILE_BYTES = 200;

function writeCount(descriptor: number, { commits, id, withoutLog }: CountFile): void {
  writeSync(descriptor, `${id} ${commits} ${withoutLog}`.padEnd(COUNT_FILE_BYTES), 0);
}
