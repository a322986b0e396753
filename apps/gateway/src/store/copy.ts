import { createHash, randomUUID } from "node:crypto";
import type { ExclusiveStore } from "./exclusive-store.ts";
import { StoreRefusedError } from "./faults.ts";
import { createSchema, noStoreMessage } from "./migrations.ts";
import { placeholdersFor, statement } from "./sql.ts";
import type { Dialect, Row, SqlValue, Transaction } from "./statement.ts";
import { readIdentity, refuseMarked, type StoreIdentity, writeIdentity } from "./store-identity.ts";

/** A table's name, its number of rows, and a digest of its content that does not depend on the order of the rows. */
export interface TableDigest {
  readonly table: string;
  readonly rows: number;
  /** 64 hexadecimal digits. */
  readonly digest: string;
}

/** A table to copy. */
interface CopiedTable {
  readonly name: string;
  /** True if the table has a column `number`. The copy reads a table with this column in pages. */
  readonly isNumbered: boolean;
}

/** Tables that are not copied: the version and the identity of a store, and the processes that use the store. */
const UNCOPIED_TABLES: ReadonlySet<string> = new Set([
  "gateway_schema",
  "gateway_store",
  "gateway_reconcilers",
]);

const ROWS_PER_PAGE = 250;
/** Maximum of copied rows in a statement. SQLite searches all parameters of a statement for each of the parameters. */
const MAX_ROWS_PER_STATEMENT = 20;
/** Maximum of copied rows in a transaction. Each transaction flushes the pages of all indexes to disk. */
const MAX_ROWS_PER_TRANSACTION = 10_000;
const MAX_BYTES_PER_TRANSACTION = 8_000_000;

/** Options for the copying of a store. */
export interface CopyOptions {
  /** Returns the mark that the target has after the copy. */
  readonly as: (source: StoreIdentity) => Pick<StoreIdentity, "mark" | "place">;
  /** Mark of the source after the copy; null leaves the source unchanged. */
  readonly leave: Pick<StoreIdentity, "mark" | "place"> | null;
  /** Function that the copying calls with the number of rows that are copied so far. */
  readonly progress: (rows: number) => void;
}

/**
 * Copies a store into an empty store, compares the two stores and marks both. Gateways can serve from the target only
 * after the copy, and from the source only before the copy. An interrupted copy starts again from the beginning.
 * @throws StoreRefusedError if the target is not empty, the source cannot be copied, or source and copy differ
 */
export async function copyStore(
  from: ExclusiveStore,
  to: ExclusiveStore,
  { as, leave, progress }: CopyOptions,
): Promise<readonly TableDigest[]> {
  const source = await from.run(readIdentity(from.dialect));
  if (source === null) throw new StoreRefusedError(noStoreMessage(from.name));
  await to.run(beginCopy(to, source, leave !== null));
  let done = 0;
  const tables = await from.run(tablesOf(from.dialect));
  for (const table of tables) {
    let rows: Row[] = [];
    let bytes = 0;
    for (let after: number | null = 0; after !== null; ) {
      const page: RowPage = await from.run(readPage(table, after));
      rows.push(...page.rows);
      bytes += sizeInBytes(page.rows);
      after = page.next;
      if (
        after !== null &&
        rows.length < MAX_ROWS_PER_TRANSACTION &&
        bytes < MAX_BYTES_PER_TRANSACTION
      )
        continue;
      await to.run(insertRows(to.dialect, table, rows));
      done += rows.length;
      progress(done);
      rows = [];
      bytes = 0;
    }
  }
  const copied = await to.run(digestsOf(tables));
  await from.run(
    markSourceIfEqual(from.dialect, tables, copied, leave && { ...source, ...markFields(leave) }),
  );
  // Gateways may serve from the copy only after the source was marked.
  await to.run(markTarget(to.dialect, tables, { ...source, ...markFields(as(source)) }));
  return copied;
}

/**
 * Marks a store that was copied or restored without this program as restored, because the store may lack submissions.
 * @throws StoreRefusedError if the store is an incomplete copy
 */
export async function markRestored(store: ExclusiveStore): Promise<void> {
  const identity = await store.run(readIdentity(store.dialect));
  if (identity === null) throw new StoreRefusedError(noStoreMessage(store.name));
  if (identity.mark === "incomplete") refuseMarked(identity);
  // With a new id, a gateway can serve from the copied store while another gateway serves from the original.
  const id = randomUUID();
  await store.run(
    writeIdentity({ ...identity, id, ...markFields({ mark: "restored", place: "" }) }),
  );
}

function markFields(
  mark: Pick<StoreIdentity, "mark" | "place">,
): Pick<StoreIdentity, "mark" | "markedAt" | "place"> {
  return { ...mark, markedAt: Date.now() };
}

/**
 * Creates the target's tables, or empties the tables of an interrupted copy.
 * @param isMove - true if the copy replaces the source: gateways then serve only from the copy
 */
function* beginCopy(
  { dialect, name }: ExclusiveStore,
  source: StoreIdentity,
  isMove: boolean,
): Transaction<void> {
  const target = yield* readIdentity(dialect);
  const isContinued = target?.mark === "incomplete" && target.id === source.id;
  // The source is already marked if the earlier copy was interrupted after its last rows.
  if (source.mark === "incomplete" || (isMove && !isContinued)) refuseMarked(source);
  if (target === null) yield* createSchema(dialect, name, source);
  // Only a gateway that has served from a store creates the secret of its digests.
  const [served] = yield statement("SELECT 1 AS found FROM gateway_secrets LIMIT 1");
  if (!isContinued && (served !== undefined || target?.mark === "incomplete"))
    throw new StoreRefusedError(
      `${name} already has a store. That store may have submissions that the copied store lacks, so nothing was changed. Move that store to another place and keep it, or name an empty place.`,
    );
  for (const table of yield* tablesOf(dialect)) yield statement(`DELETE FROM ${table.name}`);
  yield* writeIdentity({ ...source, mark: "incomplete", markedAt: Date.now(), place: "" });
}

/** Checks that the source still equals the target, and marks the source in the same transaction. */
function* markSourceIfEqual(
  dialect: Dialect,
  tables: readonly CopiedTable[],
  copied: readonly TableDigest[],
  after: StoreIdentity | null,
): Transaction<void> {
  if (dialect.lockTables !== null) yield dialect.lockTables(tables.map(({ name }) => name));
  const now = yield* digestsOf(tables);
  if (JSON.stringify(now) !== JSON.stringify(copied))
    throw new StoreRefusedError(
      "The copy differs from the store, because a command changed the store meanwhile. Run the copy again: it starts from the beginning.",
    );
  if (after !== null) yield* writeIdentity(after);
}

/** Makes the target number new rows after the copied rows, and marks the target. */
function* markTarget(
  { numberFrom }: Dialect,
  tables: readonly CopiedTable[],
  identity: StoreIdentity,
): Transaction<void> {
  for (const { isNumbered, name } of tables)
    if (isNumbered && numberFrom !== null) yield numberFrom(name);
  yield* writeIdentity(identity);
}

/** Returns the tables of a store, by name. */
function* tablesOf(dialect: Dialect): Transaction<readonly CopiedTable[]> {
  const rows = yield dialect.listTables;
  return rows
    .map(({ name, numbered }) => ({ name: String(name), isNumbered: Number(numbered) > 0 }))
    .filter(({ name }) => !UNCOPIED_TABLES.has(name));
}

/** Some of a table's rows, as one statement reads them. */
interface RowPage {
  readonly rows: readonly Row[];
  /** Number of the last row on this page; null if the table has no more rows. */
  readonly next: number | null;
}

function* readPage({ isNumbered, name }: CopiedTable, after: number): Transaction<RowPage> {
  if (!isNumbered) return { rows: yield statement(`SELECT * FROM ${name}`), next: null };
  const rows = yield statement(
    `SELECT * FROM ${name} WHERE number > $1 ORDER BY number LIMIT ${ROWS_PER_PAGE}`,
    after,
  );
  return { rows, next: rows.length === 0 ? null : Number(rows.at(-1)?.number) };
}

function* insertRows(
  { withNumbers }: Dialect,
  { name }: CopiedTable,
  rows: readonly Row[],
): Transaction<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  for (let start = 0; start < rows.length; start += MAX_ROWS_PER_STATEMENT) {
    const some = rows.slice(start, start + MAX_ROWS_PER_STATEMENT);
    const places = some.map(
      (_, index) => `(${placeholdersFor(columns, 1 + index * columns.length)})`,
    );
    // SQLite and PostgreSQL return only values that both accept.
    const values = some.flatMap((row) => columns.map((column) => row[column] as SqlValue));
    yield statement(
      `INSERT INTO ${name} (${columns.join(", ")}) ${withNumbers} VALUES ${places.join(", ")}`,
      ...values,
    );
  }
}

function* digestsOf(tables: readonly CopiedTable[]): Transaction<readonly TableDigest[]> {
  const digests: TableDigest[] = [];
  for (const table of tables) {
    let rows = 0;
    let sum = 0n;
    for (let after: number | null = 0; after !== null; ) {
      const page: RowPage = yield* readPage(table, after);
      rows += page.rows.length;
      for (const row of page.rows) sum += digestOfRow(row);
      after = page.next;
    }
    const digest = BigInt.asUintN(256, sum).toString(16).padStart(64, "0");
    digests.push({ table: table.name, rows, digest });
  }
  return digests;
}

/** Returns a row's digest, which is the same for SQLite and PostgreSQL although their types of values differ. */
function digestOfRow(row: Row): bigint {
  const values = Object.entries(row)
    .map(([column, value]) => [column, columnText(value)])
    .toSorted(([one = ""], [other = ""]) => ((one ?? "") < (other ?? "") ? -1 : 1));
  return BigInt(`0x${createHash("sha256").update(JSON.stringify(values)).digest("hex")}`);
}

function sizeInBytes(rows: readonly Row[]): number {
  let sum = 0;
  for (const row of rows)
    for (const value of Object.values(row)) if (value instanceof Uint8Array) sum += value.length;
  return sum;
}

function columnText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : String(value);
}
