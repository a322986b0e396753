// Loaded into a gateway before its own program: while the file that FULL_DISK names exists, SQLite gets no further
// page.
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const LOOK_EVERY_MS = 20;
/** SQLite's own limit. */
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
  // Below its size, the limit is the size.
  for (const database of databases)
    if (database.isOpen) exec.call(database, `PRAGMA max_page_count = ${isFull ? 1 : MOST_PAGES}`);
}, LOOK_EVERY_MS).unref();
