import type { Dialect } from "../statement.ts";

/** PostgreSQL: many write at once, so what must not pass each other takes a lock until its transaction ends. */
export const postgres: Dialect = {
  bytes: "BYTEA",
  integer: "BIGINT",
  numbering: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  lock: (number) => ({ sql: "SELECT pg_advisory_xact_lock($1)", values: [String(number)] }),
  skipLocked: "FOR UPDATE SKIP LOCKED",
};
