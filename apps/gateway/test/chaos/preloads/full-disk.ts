// Node loads this file before the gateway's program. While the file FULL_DISK exists, SQLite cannot add pages.
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const LOOK_EVERY_MS = 20;
/** SQLite's own maximum. */
const MOST_PAGES = 4_294_967_294;

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
  // A limit below the database's size means the current size.
  for (const database of databases)
    if (database.isOpen) exec.call(database, `PRAGMA max_page_count = ${isFull ? 1 : MOST_PAGES}`);
}, LOOK_EVERY_MS).unref();
