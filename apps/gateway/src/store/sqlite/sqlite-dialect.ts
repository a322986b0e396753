import type { Dialect } from "../statement.ts";

/** SQLite's dialect. Only one connection writes at a time, so no transaction needs to lock anything. */
export const sqlite: Dialect = {
  bytes: "BLOB",
  integer: "INTEGER",
  numbering: "INTEGER PRIMARY KEY",
  listTables: {
    sql: `SELECT name, (SELECT COUNT(*) FROM pragma_table_info(sqlite_master.name) AS info WHERE info.name = 'number') AS numbered
      FROM sqlite_master WHERE type = 'table' AND name LIKE 'gateway#_%' ESCAPE '#' ORDER BY name`,
    values: [],
  },
  withNumbers: "",
  numberFrom: null,
  lockTables: null,
  findTable: (name) => ({
    sql: "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = $1",
    values: [name],
  }),
  forShare: "",
  now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  isShared: false,
};
