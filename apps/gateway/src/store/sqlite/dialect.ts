import type { Dialect } from "../statement.ts";

/** SQLite: one connection writes at a time, so nothing needs to be locked. */
export const sqlite: Dialect = {
  bytes: "BLOB",
  integer: "INTEGER",
  numbering: "INTEGER PRIMARY KEY",
  lock: null,
  skipLocked: "",
};
