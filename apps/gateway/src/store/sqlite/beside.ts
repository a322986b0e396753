import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { codeOf } from "./fault.ts";
import { realPathOf } from "./sqlite-files.ts";

/** Whether a gateway serves from a file, or a command works on it alone: then a process has its lock. */
export function isServed(file: string): boolean {
  if (!existsSync(dirname(file))) return false;
  const lock = `${realPathOf(file)}.lock`;
  if (!existsSync(lock)) return false;
  const database = new DatabaseSync(lock, { timeout: 0, readOnly: true });
  try {
    database.prepare("SELECT COUNT(*) AS count FROM sqlite_master").get();
    return false;
  } catch (error) {
    if (codeOf(error) === "SQLITE_BUSY") return true;
    throw error;
  } finally {
    database.close();
  }
}

/** Whether a file has submissions to insurers that were not copied. One that cannot be read may have some. */
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

/** Opens a file that no process uses, without its log and without changing anything. */
export function openImmutable(file: string): DatabaseSync {
  const address = pathToFileURL(file);
  address.searchParams.set("immutable", "1");
  return new DatabaseSync(address, { readOnly: true });
}

const NO_SUCH_TABLE = 1;

/** Whether a file that was left with a log is no more than the part of a copy that was interrupted. */
export function isPartOfCopy(file: string): boolean {
  if (!existsSync(file)) return false;
  const database = openImmutable(file);
  try {
    const row = database.prepare("SELECT mark FROM gateway_store").get();
    return row === undefined || row.mark === "incomplete";
  } catch (error) {
    // The tables are still in the log.
    return Reflect.get(Object(error), "errcode") === NO_SUCH_TABLE;
  } finally {
    database.close();
  }
}
