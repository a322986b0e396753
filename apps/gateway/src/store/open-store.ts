import { join } from "node:path";
import type { StorePlace } from "../configuration/submission-store.ts";
import { isFileLocked } from "./sqlite/inspect-file.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import type { SubmissionStore } from "./store.ts";

/**
 * Opens the store: PostgreSQL if DATABASE_URL is set, otherwise an SQLite file.
 * @param mode - `serve` for a gateway; `beside` for a command that runs while a gateway serves
 * @param mustExist - true if the store must exist and be made for real insurers; if false, `serve` creates a missing
 * store
 * @throws StoreRefusedError if the store must not be used, StoreUnavailableError if the store cannot be reached
 */
export async function openStore(
  place: StorePlace,
  mode: "serve" | "beside",
  mustExist = false,
): Promise<SubmissionStore> {
  const url = databaseOf(place);
  if (url === null) return openSqliteStore({ file: sqliteFile(place), mode, mustExist });
  // A gateway that stores in an SQLite file does not load the PostgreSQL driver.
  const { openPostgresStore } = await import("./postgres/postgres-store.ts");
  return openPostgresStore({ url, mode, mustExist });
}

/** Returns the path of the SQLite file in the data folder. */
export function sqliteFile({ data }: StorePlace): string {
  return join(data, "submissions.sqlite");
}

/** Returns the PostgreSQL connection string; null if the store is a file. */
export function databaseOf({ databaseUrl }: StorePlace): string | null {
  return databaseUrl === undefined || databaseUrl === "" ? null : databaseUrl;
}

/** Reports whether a running gateway reconciles the submissions of a segment. */
export async function isReconciled(
  place: StorePlace,
  store: SubmissionStore,
  segment: string,
): Promise<boolean> {
  return store.shared ? store.isLed(segment) : isFileLocked(sqliteFile(place));
}
