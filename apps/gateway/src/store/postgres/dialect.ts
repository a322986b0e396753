import type { Dialect } from "../statement.ts";

/** PostgreSQL: many write at once, so what must not pass each other takes a lock until its transaction ends. */
export const postgres: Dialect = {
  bytes: "BYTEA",
  integer: "BIGINT",
  numbering: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  findTable: (name) => ({
    sql: "SELECT 1 AS found WHERE to_regclass($1) IS NOT NULL",
    values: [name],
  }),
  holdsLocks: "current_setting('gateway.holds_locks', true) = 'yes'",
  insertIf: ({ columns, first, others, table }, condition) =>
    `INSERT INTO ${table} (${columns}) SELECT ${first}, ${others} WHERE ${condition}`,
  lock: (...numbers) => ({
    // Without parameters, so that it can be sent in one message with the beginning of its transaction.
    sql: `SELECT ${numbers.map((number) => `pg_advisory_xact_lock('${number}'::BIGINT)`).join(", ")}`,
    values: [],
    locks: numbers,
  }),
  forShare: "FOR SHARE",
  now: "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT",
  isShared: true,
};
