import { join } from "node:path";
import { openPostgresStore } from "./postgres/postgres-store.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import type { SubmissionStore } from "./store.ts";

/** Where submissions are kept. */
export interface StorePlace {
  /** The folder of the SQLite file. */
  readonly data: string;
  /** A PostgreSQL connection string; it goes before the file. */
  readonly databaseUrl: string | undefined;
}

/**
 * Opens the store: PostgreSQL where there is one, a file of SQLite otherwise.
 * @param mode - `serve` for a gateway; `beside` for a command that works while one serves
 * @throws StoreRefusedError when it must not be used, StoreUnavailableError when it cannot be reached
 */
export function openStore(
  { data, databaseUrl }: StorePlace,
  mode: "serve" | "beside",
): Promise<SubmissionStore> {
  return databaseUrl === undefined || databaseUrl === ""
    ? openSqliteStore({ file: join(data, "submissions.sqlite"), mode })
    : openPostgresStore({ url: databaseUrl, mode });
}
