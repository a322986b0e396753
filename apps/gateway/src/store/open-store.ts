import { join } from "node:path";
import type { StorePlace } from "../configuration/submission-store.ts";
import { isServed } from "./sqlite/beside.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import type { SubmissionStore } from "./store.ts";

/**
 * Opens the store: PostgreSQL where there is one, a file of SQLite otherwise.
 * @param mode - `serve` for a gateway; `beside` for a command that works while one serves
 * @param mustExist - whether a store must be there that was made for insurers; otherwise `serve` makes one
 * @throws StoreRefusedError when it must not be used, StoreUnavailableError when it cannot be reached
 */
export async function openStore(
  place: StorePlace,
  mode: "serve" | "beside",
  mustExist = false,
): Promise<SubmissionStore> {
  const url = databaseOf(place);
  if (url === null) return openSqliteStore({ file: sqliteFile(place), mode, mustExist });
  // A gateway with a file needs no driver of PostgreSQL in memory.
  const { openPostgresStore } = await import("./postgres/postgres-store.ts");
  return openPostgresStore({ url, mode, mustExist });
}

/** The file of submissions in the data folder. */
export function sqliteFile({ data }: StorePlace): string {
  return join(data, "submissions.sqlite");
}

/** Returns the PostgreSQL connection string; null if submissions are in a file. */
export function databaseOf({ databaseUrl }: StorePlace): string | null {
  return databaseUrl === undefined || databaseUrl === "" ? null : databaseUrl;
}

/** Whether a gateway that serves from the store reconciles the submissions of a segment. */
export async function isReconciled(
  place: StorePlace,
  store: SubmissionStore,
  segment: string,
): Promise<boolean> {
  return store.shared ? store.isLed(segment) : isServed(sqliteFile(place));
}
