import { DatabaseSync } from "node:sqlite";
import * as fc from "fast-check";
import { Client } from "pg";
import { databaseOf, type StorePlace, sqliteFile } from "../../src/store/open-store.ts";

// The tables as the databases have them, read and written without any code of the store.

type ColumnType = "bytes" | "integer" | "text";
type TableName =
  | "gateway_submissions"
  | "gateway_resolutions"
  | "gateway_connections"
  | "gateway_usage"
  | "gateway_availability"
  | "gateway_secrets";

/** The columns of each table but the row's number; null may stand where a question mark does. */
const columns: Readonly<
  Record<TableName, Readonly<Record<string, ColumnType | `${ColumnType}?`>>>
> = {
  gateway_submissions: {
    id: "bytes",
    caller: "bytes",
    key_digest: "bytes?",
    content_digest: "bytes",
    match_digest: "bytes?",
    search_digest: "bytes?",
    series: "text",
    resource: "bytes?",
    provider: "text",
    segment: "text",
    connection: "text",
    endpoint: "text",
    creates: "integer",
    state: "text",
    fence: "integer",
    received_at: "integer",
    received_running: "integer",
    day: "text",
    updated_at: "integer",
    lease_until: "integer",
    unknown_at: "integer?",
    unknown_running: "integer?",
    settled_running: "integer?",
    absent_running: "integer?",
    insurer_id: "text?",
    answered_id: "text?",
    closed: "integer",
    key_id: "text?",
    match_fields: "bytes?",
    answer: "bytes?",
    answer_until: "integer?",
    forget_at: "integer?",
    queries: "integer",
    queried_at: "integer?",
    next_query_at: "integer?",
  },
  gateway_resolutions: {
    submission: "bytes",
    at: "integer",
    by_whom: "text",
    reason: "text",
    from_state: "text",
    to_state: "text",
  },
  gateway_connections: {
    id: "text",
    segment: "text",
    issuer: "text",
    tenant: "text",
    added_at: "integer",
    changed_at: "integer",
    revision: "integer",
    removed: "integer",
    key_id: "text?",
    encrypted: "bytes?",
    requests_per_day: "integer?",
    submissions_per_day: "integer?",
    credentials_end_at: "integer?",
    certificate_ends_at: "integer?",
  },
  gateway_usage: {
    day: "text",
    connection: "text",
    segment: "text",
    endpoint: "text",
    kind: "text",
    calls: "integer",
    failed_calls: "integer",
    succeeded: "integer",
    failed: "integer",
    not_sent: "integer",
  },
  gateway_availability: {
    day: "text",
    segment: "text",
    attempts: "integer",
    failures: "integer",
    held_back: "integer",
  },
  gateway_secrets: { name: "text", key_id: "text", encrypted: "bytes" },
};

/** What a store alone knows of its rows: their order, and which are being sent a second time. */
const own: ReadonlySet<string> = new Set(["number", "sent_again"]);

/** A row by column, its bytes in hexadecimal. */
export type TableRow = Readonly<Record<string, string | number | null>>;

/** Everything in the tables: each row as JSON, in the order of the rows' numbers, so that many are compared quickly. */
export type Tables = Readonly<Record<TableName, readonly string[]>>;

/** A connection of a test's own to a place where submissions are stored. */
export interface TableAccess {
  /** Everything in the tables. */
  read(): Promise<Tables>;
  insert(table: TableName, rows: readonly TableRow[]): Promise<void>;
  /** Runs SQL that both databases understand, and gives its rows. */
  run(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

/** Opens one; the tables must be there when it reads. */
export async function openTables(place: StorePlace): Promise<TableAccess> {
  const url = databaseOf(place);
  const connection = url === null ? openFile(sqliteFile(place)) : await openDatabase(url);
  const rowsOf = async (table: TableName): Promise<readonly string[]> => {
    const order = table === "gateway_secrets" ? "name" : "number";
    const rows = await connection.run(`SELECT * FROM ${table} ORDER BY ${order}`);
    return rows.map((row) => JSON.stringify(legibleRow(table, row)));
  };
  return {
    ...connection,
    async read() {
      return {
        gateway_submissions: await rowsOf("gateway_submissions"),
        gateway_resolutions: await rowsOf("gateway_resolutions"),
        gateway_connections: await rowsOf("gateway_connections"),
        gateway_usage: await rowsOf("gateway_usage"),
        gateway_availability: await rowsOf("gateway_availability"),
        gateway_secrets: await rowsOf("gateway_secrets"),
      };
    },
    async insert(table, rows) {
      if (rows.length === 0) return;
      const values = rows.map((row) =>
        Object.entries(columns[table]).map(([name, type]) =>
          connection.literal(row[name] ?? null, type.startsWith("bytes")),
        ),
      );
      const names = Object.keys(columns[table]).join(", ");
      await connection.run(
        `INSERT INTO ${table} (${names}) VALUES ${values.map((row) => `(${row.join(", ")})`).join(", ")}`,
      );
    },
  };
}

interface Connection extends Pick<TableAccess, "run" | "close"> {
  literal(value: string | number | null, isBytes: boolean): string;
}

function openFile(file: string): Connection {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  return {
    literal: (value, isBytes) => (isBytes && value !== null ? `x'${value}'` : quoted(value)),
    run: async (sql) => database.prepare(sql).all(),
    close: async () => database.close(),
  };
}

async function openDatabase(url: string): Promise<Connection> {
  const client = new Client(url);
  await client.connect();
  return {
    literal: (value, isBytes) => (isBytes && value !== null ? `'\\x${value}'` : quoted(value)),
    run: async (sql) => (await client.query(sql)).rows,
    close: () => client.end(),
  };
}

function quoted(value: string | number | null): string {
  if (value === null) return "NULL";
  return typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

/** @throws Error for a column that is not in the list above: a new one must be added there */
function legibleRow(table: TableName, row: Readonly<Record<string, unknown>>): TableRow {
  const names = Object.keys(columns[table]);
  const given = Object.keys(row).filter((name) => !own.has(name));
  if (given.toSorted().join() !== names.toSorted().join())
    throw new Error(`${table} has the columns ${Object.keys(row).join(", ")}`);
  return Object.fromEntries(
    Object.entries(columns[table]).map(([name, type]) => [name, legibleValue(row[name], type)]),
  );
}

function legibleValue(value: unknown, type: string): string | number | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  // PostgreSQL gives its largest integers as text.
  return type.startsWith("integer") ? Number(value) : String(value);
}

/** Rows of a table with any values, the same ones for the same seed. Their digests differ from row to row. */
export function randomRows(
  table: TableName,
  count: number,
  { keyId, seed }: { readonly keyId: string; readonly seed: number },
): readonly TableRow[] {
  const arbitraries = Object.entries(columns[table]).map(([name, type]) => {
    if (name === "key_id") return [name, fc.constantFrom(keyId, null)] as const;
    if (name === "fence" || name === "queries") return [name, fc.nat(1_000)] as const;
    const arbitrary = anyValue[type.replace("?", "") as ColumnType]; // what is left of its type
    return [name, type.endsWith("?") ? fc.option(arbitrary, { freq: 2 }) : arbitrary] as const;
  });
  const row = fc.record(Object.fromEntries(arbitraries));
  return fc.sample(fc.noBias(row), { numRuns: count, seed });
}

/** A row as an export writes it: its values in order, bytes in base64. */
export function exportedForm(table: TableName, row: TableRow): readonly (string | number | null)[] {
  return Object.entries(columns[table]).map(([name, type]) => {
    const value = row[name] ?? null;
    return type.startsWith("bytes") && value !== null
      ? Buffer.from(String(value), "hex").toString("base64")
      : value;
  });
}

const anyValue: Readonly<Record<ColumnType, fc.Arbitrary<string | number>>> = {
  bytes: fc
    .uint8Array({ minLength: 16, maxLength: 16 })
    .map((bytes) => Buffer.from(bytes).toString("hex")),
  integer: fc.integer({ min: 0, max: 2 ** 45 }),
  text: fc.stringMatching(/^[ -~Α-Ωα-ω]{1,40}$/),
};
