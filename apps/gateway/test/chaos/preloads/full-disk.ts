// A gateway loads this file before its program. While the file in FULL_DISK exists, SQLite cannot add pages.
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const CHECK_INTERVAL_MS = 20;
/** Maximum of pages that SQLite itself allows. */
const MAX_PAGES = 4_294_967_294;

const file = process.env.FULL_DISK ?? "";
const databases = new Set<DatabaseSync>();
// oxlint-disable-next-line typescript/unbound-method -- it is only called with a database.
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function execNoted(sql) {
  databases.add(this);
  exec.call(this, sql);
};

let isFull = false;
setInterval(() => {
  if (existsSync(file) === isFull) return;
  isFull = !isFull;
  // SQLite does not set the limit below the current size of the database.
  for (const database of databases)
    if (database.isOpen) exec.call(database, `PRAGMA max_page_count = ${isFull ? 1 : MAX_PAGES}`);
}, CHECK_INTERVAL_MS).unref();
