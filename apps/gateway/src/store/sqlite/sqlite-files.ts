import { accessSync, constants, realpathSync, statfsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StoreRefusedError } from "../faults.ts";

/** Returns a file's real path, without symbolic links. The folder must exist, but the file need not exist. */
export function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return join(realpathSync(dirname(file)), basename(file));
  }
}

/**
 * Refuses a database file that has a second path besides symbolic links. SQLite keeps the log beside one
 * path, so a process that opens the second path would see other data, and have another lock.
 * @param file - real path of the database
 * @throws StoreRefusedError for a file with several hard links, or a file that is mounted without its folder
 */
export function refuseSecondPath(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.nlink > 1)
    throw new StoreRefusedError(
      `${file} has ${found.nlink} hard links, and SQLite writes its log beside only one of them. Remove the other links, then start again.`,
    );
  if (found.dev !== statSync(dirname(file)).dev)
    throw new StoreRefusedError(
      `${file} is mounted without its folder, so the log that SQLite writes beside it would be on another volume. Mount the folder instead.`,
    );
}

/** Suffix of the file that contains the count of transactions (commits.ts). */
export const COUNT_SUFFIX = ".count";

/** Suffixes of an open database's files: the database, its log, the log's index, the count, and the process's lock. */
const FILE_SUFFIXES = ["", "-wal", "-shm", COUNT_SUFFIX, ".lock"];

/**
 * Remembers the files of an open database.
 * @param file - real path of the database
 * @param suffixes - suffixes of the files to remember. Default: all
 * @returns a function that reports whether all files are still at their paths. A removed or replaced file still accepts
 * writes, which are lost when the process ends
 */
export function rememberFiles(
  file: string,
  suffixes: readonly string[] = FILE_SUFFIXES,
): () => boolean {
  const identify = (): string =>
    suffixes
      .map((suffix) => {
        const found = statSync(file + suffix, { bigint: true, throwIfNoEntry: false });
        return found === undefined ? "" : `${found.dev} ${found.ino} ${found.nlink}`;
      })
      .join();
  const before = identify();
  return () => identify() === before;
}

/** Returns the system's code that explains why a file cannot be written, such as EROFS; null for a writable file. */
export function writeObstacleOf(file: string): string | null {
  try {
    accessSync(dirname(file), constants.W_OK);
    accessSync(file, constants.R_OK | constants.W_OK);
    return statfsSync(dirname(file)).bavail === 0 ? "ENOSPC" : null;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : null;
  }
}
