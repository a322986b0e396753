import type { Dialect } from "../statement.ts";

/** PostgreSQL's dialect. Many transactions write at once, so transactions that must not overlap lock a number. */
export const postgres: Dialect = {
  bytes: "BYTEA",
  integer: "BIGINT",
  numbering: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  listTables: {
    sql: `SELECT table_name AS name, COUNT(*) FILTER (WHERE column_name = 'number') AS numbered
      FROM information_schema.columns WHERE table_schema = current_schema() AND table_name LIKE 'gateway#_%' ESCAPE '#'
      GROUP BY table_name ORDER BY table_name`,
    values: [],
  },
  withNumbers: "OVERRIDING SYSTEM VALUE",
  // Only a column whose numbers PostgreSQL generates has a sequence to set.
  numberFrom: (table) => ({
    sql: `SELECT setval(pg_get_serial_sequence('${table}', 'number'), (SELECT COALESCE(MAX(number), 0) + 1 FROM ${table}), false)`,
    values: [],
  }),
  lockTables: (names) => ({ sql: `LOCK TABLE ${names.join(", ")} IN SHARE MODE`, values: [] }),
  findTable: (name) => ({
    sql: "SELECT 1 AS found WHERE to_regclass($1) IS NOT NULL",
    values: [name],
  }),
  forShare: "FOR SHARE",
  now: "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT",
  isShared: true,
};
