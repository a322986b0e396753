import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { RunningPostgres } from "@insurance-gateway/running-postgres";
import { Client } from "pg";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { StorePlace } from "../store/suite/store-suite.ts";

/** A folder for a SQLite file. */
export interface StoreFolder {
  readonly file: string;
  remove(): void;
}

/** Creates a folder for a SQLite file. */
export function makeStoreFolder(): StoreFolder {
  const folder = mkdtempSync(join(tmpdir(), "submissions-"));
  return {
    file: join(folder, "data", "submissions.sqlite"),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** Creates a place for a SQLite store. */
export async function makeSqlitePlace(): Promise<StorePlace> {
  const folder = makeStoreFolder();
  const { file } = folder;
  return {
    shared: false,
    open: (mode) => openSqliteStore({ file, mode }),
    async execute(sql) {
      const database = new DatabaseSync(file);
      database.exec(sql);
      database.close();
    },
    remove: async () => folder.remove(),
  };
}

/** Creates a database on a PostgreSQL server. The database is deleted with the server. */
export async function makePostgresPlace(server: RunningPostgres): Promise<StorePlace> {
  const url = await server.createDatabase();
  return {
    shared: true,
    open: (mode) => openPostgresStore({ url, mode }),
    async execute(sql) {
      await queryAt(url, sql);
    },
    remove: async () => {},
  };
}

/** Runs an SQL statement on a new connection, and returns the rows. */
export async function queryAt(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
