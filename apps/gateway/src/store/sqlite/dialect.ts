import type { Dialect } from "../statement.ts";

/** SQLite: one connection writes at a time, so nothing needs to be locked. */
export const sqlite: Dialect = {
  bytes: "BLOB",
  integer: "INTEGER",
  numbering: "INTEGER PRIMARY KEY",
  findTable: (name) => ({
    sql: "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = $1",
    values: [name],
  }),
  hasBegun: "1 = 1",
  lock: null,
  forShare: "",
  now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
};
