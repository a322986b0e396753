import { accessSync, constants, realpathSync, statfsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StoreRefusedError } from "../faults.ts";

/** The path of a file that every link to it leads to; also of a file that does not exist yet, if its folder does. */
export function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return join(realpathSync(dirname(file)), basename(file));
  }
}

/**
 * Refuses a database file that has a second path which no link resolves: SQLite keeps its log beside one path only, so that
 * a process that opens the other one would see another state, and have another lock.
 * @param file - its real path
 * @throws StoreRefusedError for a file with several hard links, or one that is mounted without its folder
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

/** The suffix of the file with the count of transactions (commits.ts). */
export const COUNT_SUFFIX = ".count";

/** The files of an open database: itself, its log, the log's index, the count, and the lock of the process. */
const SUFFIXES = ["", "-wal", "-shm", COUNT_SUFFIX, ".lock"];

/**
 * Remembers the files of a database that is open.
 * @param file - its real path
 * @param suffixes - only these of its files (default: all of them)
 * @returns whether all of them are still at their paths: a file that was removed or replaced still accepts writes, but
 * is not found after the process has ended
 */
export function rememberFiles(file: string, suffixes: readonly string[] = SUFFIXES): () => boolean {
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

/** The system's code for the reason why a file cannot be written, such as EROFS; null when none can be found. */
export function obstacleTo(file: string): string | null {
  try {
    accessSync(dirname(file), constants.W_OK);
    accessSync(file, constants.R_OK | constants.W_OK);
    return statfsSync(dirname(file)).bavail === 0 ? "ENOSPC" : null;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : null;
  }
}
