import {
  type ExportedRow,
  type ExportedTable,
  exported,
  exportedColumns,
  values,
} from "./exported-tables.ts";
import { IMPORT_TABLE } from "./migrations.ts";
import { asBytes } from "./rows.ts";
import { placesFor, statement } from "./sql.ts";
import type { Dialect, Row, Transaction } from "./statement.ts";
import { type StoredSecret, StoreRefusedError } from "./store.ts";

// What `submissions export` reads and `submissions import` writes: every table but that of the reconcilers, who end with
// their processes.

/** Some of a table's rows, in the order of their numbers. */
export interface Page {
  readonly table: ExportedTable;
  /** The number of the last row, in the store that was exported. */
  readonly upTo: number;
  readonly rows: readonly ExportedRow[];
}

/** The content of a store in numbers, by which two states of it can be distinguished. */
export interface Summary {
  readonly submissions: number;
  readonly resolutions: number;
  readonly connections: number;
  /** Rows of usage and availability by day. */
  readonly counts: number;
  /** Grows or changes with every change of a row. */
  readonly marks: readonly number[];
  /** The ids of the keys that something is encrypted with. */
  readonly keyIds: readonly string[];
}

const ROWS_OF_A_PAGE = 500;
/** Rows with long answers come in smaller pages. */
const BYTES_OF_A_PAGE = 4_000_000;

/** Reads what a store has. */
export function* summary(): Transaction<Summary> {
  const [submissions] = yield statement(
    `SELECT COUNT(*) AS count, COUNT(answer) AS answers, COUNT(key_digest) AS keys,
      COALESCE(MAX(number), 0) AS number, COALESCE(MAX(updated_at), 0) AS updated, COALESCE(SUM(fence), 0) AS fences,
      COALESCE(SUM(queries), 0) AS queries, COALESCE(SUM(next_query_at % 1000003), 0) AS next
      FROM gateway_submissions`,
  );
  const [resolutions] = yield statement("SELECT COUNT(*) AS count FROM gateway_resolutions");
  const [connections] = yield statement(
    "SELECT COUNT(*) AS count, COALESCE(MAX(revision), 0) AS revision FROM gateway_connections",
  );
  const [counts] = yield statement(
    `SELECT (SELECT COUNT(*) FROM gateway_usage) + (SELECT COUNT(*) FROM gateway_availability) AS count,
      COALESCE((SELECT SUM(calls + not_sent) FROM gateway_usage), 0) AS calls,
      COALESCE((SELECT SUM(attempts + held_back) FROM gateway_availability), 0) AS attempts`,
  );
  const keyIds = yield statement(
    `SELECT key_id FROM gateway_submissions WHERE key_id IS NOT NULL
      UNION SELECT key_id FROM gateway_connections WHERE key_id IS NOT NULL ORDER BY key_id`,
  );
  const mark = (name: string): number => Number(submissions?.[name]);
  return {
    submissions: mark("count"),
    resolutions: Number(resolutions?.count),
    connections: Number(connections?.count),
    counts: Number(counts?.count),
    marks: [
      ...["answers", "keys", "number", "updated", "fences", "queries", "next"].map(mark),
      Number(connections?.revision),
      Number(counts?.calls),
      Number(counts?.attempts),
    ],
    keyIds: keyIds.map((row) => String(row.key_id)),
  };
}

/** Reads the rows of a table after a number; null when there are no more. */
export function* readPage(table: ExportedTable, after: number): Transaction<Page | null> {
  const size =
    table === "gateway_submissions"
      ? "COALESCE(LENGTH(answer), 0) + COALESCE(LENGTH(match_fields), 0)"
      : "0";
  const sizes = yield statement(
    `SELECT number, ${size} AS size FROM ${table} WHERE number > $1 ORDER BY number LIMIT ${ROWS_OF_A_PAGE}`,
    after,
  );
  const upTo = lastOfPage(sizes);
  if (upTo === null) return null;
  const names = Object.keys(exportedColumns[table]);
  const rows = yield statement(
    `SELECT ${names.join(", ")} FROM ${table} WHERE number > $1 AND number <= $2 ORDER BY number`,
    after,
    upTo,
  );
  return { table, upTo, rows: rows.map((row) => exported(table, row)) };
}

function lastOfPage(rows: readonly Row[]): number | null {
  let bytes = 0;
  let last: number | null = null;
  for (const { number, size } of rows) {
    bytes += Number(size);
    if (last !== null && bytes > BYTES_OF_A_PAGE) break;
    last = Number(number);
  }
  return last;
}

/** Reads the store's own secrets, encrypted, by name. */
export function* readSecrets(): Transaction<Readonly<Record<string, StoredSecret>>> {
  const rows = yield statement("SELECT * FROM gateway_secrets ORDER BY name");
  return Object.fromEntries(
    rows.map((row) => [
      String(row.name),
      { keyId: String(row.key_id), encrypted: asBytes(row.encrypted) },
    ]),
  );
}

/** How far an import is: the file that it reads, and how many of its pages are in the store. */
export interface ImportProgress {
  readonly file: string;
  readonly pages: number;
}

/** How far an import into this store is that was interrupted; null when none was. */
export function* importProgress(dialect: Dialect): Transaction<ImportProgress | null> {
  const [table] = yield dialect.findTable(IMPORT_TABLE);
  if (table === undefined) return null;
  const [row] = yield statement(`SELECT file, pages FROM ${IMPORT_TABLE}`);
  return row === undefined ? null : { file: String(row.file), pages: Number(row.pages) };
}

/** Begins an import, or continues with another file: from now on no gateway serves from the store until it has ended. */
export function* beginImport(
  dialect: Dialect,
  file: string,
  secrets: Readonly<Record<string, StoredSecret>>,
): Transaction<void> {
  const [table] = yield dialect.findTable(IMPORT_TABLE);
  if (table === undefined)
    yield statement(
      `CREATE TABLE ${IMPORT_TABLE} (file TEXT NOT NULL, pages ${dialect.integer} NOT NULL)`,
    );
  yield statement(`DELETE FROM ${IMPORT_TABLE}`);
  yield statement(`INSERT INTO ${IMPORT_TABLE} (file, pages) VALUES ($1, $2)`, file, 0);
  for (const [name, { encrypted, keyId }] of Object.entries(secrets))
    yield statement(
      `INSERT INTO gateway_secrets (name, key_id, encrypted) VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET key_id = excluded.key_id, encrypted = excluded.encrypted`,
      name,
      keyId,
      encrypted,
    );
}

/**
 * Writes a page. Rows that the store already has with the same content are not changed.
 * @param pages - how many pages of the file are in the store with this one
 * @throws StoreRefusedError when the store has a submission, or its key, with another content; then nothing is written
 */
export function* importPage({ rows, table }: Page, pages: number): Transaction<number> {
  const find = knownRows[table];
  const known = find === null ? new Set<string>() : yield* find(rows);
  const fresh = rows.filter((row) => !known.has(JSON.stringify(row)));
  if (fresh.length > 0) {
    const names = Object.keys(exportedColumns[table]);
    const places = fresh.map((row, index) => `(${placesFor(row, 1 + index * names.length)})`);
    yield statement(
      `INSERT INTO ${table} (${names.join(", ")}) VALUES ${places.join(", ")} ${onConflict(table)}`,
      ...fresh.flatMap((row) => values(table, row)),
    );
  }
  yield statement(`UPDATE ${IMPORT_TABLE} SET pages = $1`, pages);
  return fresh.length;
}

/** By table: finds which of the rows the store already has. */
const knownRows: Readonly<
  Record<ExportedTable, ((rows: readonly ExportedRow[]) => Transaction<ReadonlySet<string>>) | null>
> = {
  gateway_submissions: knownSubmissions,
  gateway_resolutions: (rows) => knownBy("gateway_resolutions", "submission", rows),
  gateway_connections: (rows) => knownBy("gateway_connections", "id", rows),
  // The statement that inserts counts also handles existing rows.
  gateway_usage: null,
  gateway_availability: null,
};

/** For a day that the store already has, the larger counts win, so that a second import changes nothing. */
function onConflict(table: ExportedTable): string {
  if (table !== "gateway_usage" && table !== "gateway_availability") return "";
  const columns = Object.entries(exportedColumns[table]);
  const keys = columns.flatMap(([name, type]) => (type === "text" && name !== "kind" ? name : []));
  const larger = columns.flatMap(([name, type]) =>
    type === "integer"
      ? `${name} = CASE WHEN ${table}.${name} < excluded.${name} THEN excluded.${name} ELSE ${table}.${name} END`
      : [],
  );
  return `ON CONFLICT (${keys.join(", ")}) DO UPDATE SET ${larger.join(", ")}`;
}

const KEY_DIGEST: number = Object.keys(exportedColumns.gateway_submissions).indexOf("key_digest");

/** The rows that the store already has, as text. */
function* knownSubmissions(rows: readonly ExportedRow[]): Transaction<ReadonlySet<string>> {
  const table = "gateway_submissions";
  const digestsOf = (column: number): readonly Buffer[] =>
    rows.flatMap((row) => {
      const value = row[column];
      return typeof value === "string" ? [Buffer.from(value, "base64")] : [];
    });
  const found = new Map<unknown, Row>();
  for (const [name, digests] of [
    ["id", digestsOf(0)],
    ["key_digest", digestsOf(KEY_DIGEST)],
  ] as const) {
    if (digests.length === 0) continue;
    const there = yield statement(
      `SELECT * FROM ${table} WHERE ${name} IN (${placesFor(digests, 1)})`,
      ...digests,
    );
    for (const row of there) found.set(row.number, row);
  }
  const known = new Set([...found.values()].map((row) => JSON.stringify(exported(table, row))));
  const given = new Set(rows.map((row) => JSON.stringify(row)));
  for (const text of known)
    if (!given.has(text))
      throw new StoreRefusedError(
        "The store has one of these submissions, or its idempotency key, in another state: a gateway has served from it since. Import into an empty store.",
      );
  return known;
}

/** The rows that the store already has, as text, found by their first column. */
function* knownBy(
  table: ExportedTable,
  column: string,
  rows: readonly ExportedRow[],
): Transaction<ReadonlySet<string>> {
  const type = exportedColumns[table][column];
  const ids = [...new Set(rows.map(([id]) => String(id)))];
  const there = yield statement(
    `SELECT * FROM ${table} WHERE ${column} IN (${placesFor(ids, 1)})`,
    ...ids.map((id) => (type === "bytes" ? Buffer.from(id, "base64") : id)),
  );
  return new Set(there.map((row) => JSON.stringify(exported(table, row))));
}

/** Ends an import: gateways may serve from the store, and its running time goes on after that of its submissions. */
export function* endImport(): Transaction<void> {
  const latest = ["received_running", "unknown_running", "settled_running"].map(
    (column) => `UNION ALL SELECT MAX(${column}) FROM gateway_submissions`,
  );
  yield statement(
    `UPDATE gateway_running_time SET passed =
      (SELECT MAX(at) FROM (SELECT passed AS at FROM gateway_running_time ${latest.join(" ")}) AS times)`,
  );
  yield statement(`DROP TABLE ${IMPORT_TABLE}`);
}
