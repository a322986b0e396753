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
  lock: (...numbers) => ({
    sql: `SELECT ${numbers.map((_, index) => `pg_advisory_xact_lock($${index + 1})`).join(", ")}`,
    values: numbers.map(String),
    isAwaited: false,
    name: `gateway_lock_${numbers.length}`,
  }),
  forShare: "FOR SHARE",
  now: "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT",
};
