import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { errorCodeOf } from "./fault.ts";
import { realPathOf } from "./sqlite-files.ts";

/** Reports whether a process has locked a store's file: a serving gateway, or an exclusive command. */
export function isFileLocked(file: string): boolean {
  if (!existsSync(dirname(file))) return false;
  const lock = `${realPathOf(file)}.lock`;
  if (!existsSync(lock)) return false;
  const database = new DatabaseSync(lock, { timeout: 0, readOnly: true });
  try {
    database.prepare("SELECT COUNT(*) AS count FROM sqlite_master").get();
    return false;
  } catch (error) {
    if (errorCodeOf(error) === "SQLITE_BUSY") return true;
    throw error;
  } finally {
    database.close();
  }
}

/** Reports whether a store's file has submissions to real insurers and was not copied, or cannot be read. */
export function hasSubmissions(file: string): boolean {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 5_000 });
    const found = database.prepare(
      "SELECT 1 FROM gateway_submissions, gateway_store WHERE made_for = 'insurers' AND mark <> 'copied' LIMIT 1",
    );
    return found.get() !== undefined;
  } catch {
    return true;
  } finally {
    database?.close();
  }
}

/** Opens a database file that no process uses, read-only and without its log. */
export function openReadOnlyFile(file: string): DatabaseSync {
  const address = pathToFileURL(file);
  address.searchParams.set("immutable", "1");
  return new DatabaseSync(address, { readOnly: true });
}

const NO_SUCH_TABLE_CODE = 1;

/** Reports whether a file with a log is only a part of an interrupted copy. */
export function isPartOfInterruptedCopy(file: string): boolean {
  if (!existsSync(file)) return false;
  const database = openReadOnlyFile(file);
  try {
    const row = database.prepare("SELECT mark FROM gateway_store").get();
    return row === undefined || row.mark === "incomplete";
  } catch (error) {
    // The error means that the tables exist only in the log, so the copy into the file was interrupted.
    return Reflect.get(Object(error), "errcode") === NO_SUCH_TABLE_CODE;
  } finally {
    database.close();
  }
}
