import { randomBytes, randomInt } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { StorePlace } from "../../src/configuration/submission-store.ts";
import { databaseOf, sqliteFile } from "../../src/store/open-store.ts";
import { queryAt } from "./store-places.ts";

/** The rows of every table, by the table's name. Each row is a text, and the order of the rows has no meaning. */
export type TableTexts = Readonly<Record<string, readonly string[]>>;

/** The tables that differ between a store and its copy. */
const OWN = ["gateway_schema", "gateway_store", "gateway_reconcilers"];

/** Reads the content of a store without the tested code. */
export async function tablesIn(place: StorePlace): Promise<TableTexts> {
  const url = databaseOf(place);
  const names = await rowsIn(
    place,
    url === null
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'gateway%'"
      : "SELECT tablename AS name FROM pg_tables WHERE tablename LIKE 'gateway%'",
  );
  const tables: [string, readonly string[]][] = [];
  for (const name of names.map((row) => String(row.name)).toSorted()) {
    if (OWN.includes(name)) continue;
    const rows = await rowsIn(place, `SELECT * FROM ${name}`);
    tables.push([name, rows.map(textOf).toSorted()]);
  }
  return Object.fromEntries(tables);
}

/** Runs an SQL statement in a store, and returns the resulting rows. */
export async function rowsIn(
  place: StorePlace,
  sql: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const url = databaseOf(place);
  if (url !== null) return (await queryAt(url, sql)) as never; // the rows can be of any table
  const database = new DatabaseSync(sqliteFile(place), { timeout: 5_000 });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

/** Returns a row as text. Databases differ in the type of large numbers and in the order of columns. */
function textOf(row: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(row).map(([name, value]) => {
    const text = value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value);
    return `${name}=${text}`;
  });
  return texts.toSorted().join(" ");
}

/** Inserts rows with random values into every table of a SQLite store, by the types of the columns. */
export function fillTables(file: string, rows: number): void {
  const database = new DatabaseSync(file);
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'gateway%'")
    .all();
  database.exec("BEGIN");
  for (const name of tables.map((table) => String(table.name))) {
    if (OWN.includes(name)) continue;
    const columns = database
      .prepare(
        "SELECT name, type, [notnull] + pk > 0 AS needed FROM pragma_table_info(?) WHERE name <> 'number'",
      )
      .all(name);
    const insert = database.prepare(
      `INSERT OR IGNORE INTO ${name} (${columns.map((column) => column.name).join(", ")})
        VALUES (${columns.map(() => "?").join(", ")})`,
    );
    for (let row = 0; row < rows; row++)
      insert.run(...columns.map(({ needed, type }) => anyValue(String(type), needed === 1)));
  }
  database.exec("COMMIT");
  database.close();
}

function anyValue(type: string, isNeeded: boolean): string | number | Uint8Array | null {
  if (!isNeeded && randomInt(3) === 0) return null;
  if (type === "BLOB") return randomBytes(16);
  return type === "INTEGER" ? randomInt(2 ** 45) : `Ωmega '${randomBytes(4).toString("hex")}"`;
}
