import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { codeOf } from "./fault.ts";

/** Whether a gateway serves from a file, or an export or import works on it: then a process has its lock. */
export function isServed(file: string): boolean {
  const lock = `${file}.lock`;
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

/** Whether a file has submissions. One that cannot be read may have some. */
export function hasSubmissions(file: string): boolean {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 5_000 });
    const table = database
      .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'gateway_submissions'")
      .get();
    if (table === undefined) return false;
    return database.prepare("SELECT 1 FROM gateway_submissions LIMIT 1").get() !== undefined;
  } catch {
    return true;
  } finally {
    database?.close();
  }
}
