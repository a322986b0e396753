import { asBytes } from "./rows.ts";
import type { Row, Value } from "./statement.ts";

type ColumnType = "bytes" | "integer" | "text";

/** A table whose rows are exported. */
export type ExportedTable =
  | "gateway_submissions"
  | "gateway_resolutions"
  | "gateway_connections"
  | "gateway_usage"
  | "gateway_availability";

/** The tables in the order in which they are exported: each resolution belongs to a submission. */
export const EXPORTED_TABLES: readonly ExportedTable[] = [
  "gateway_submissions",
  "gateway_resolutions",
  "gateway_connections",
  "gateway_usage",
  "gateway_availability",
];

/** The columns that are exported, in this order; a column of a later schema version must be added here. */
export const exportedColumns: Readonly<
  Record<ExportedTable, Readonly<Record<string, ColumnType>>>
> = {
  gateway_submissions: {
    id: "bytes",
    caller: "bytes",
    key_digest: "bytes",
    content_digest: "bytes",
    match_digest: "bytes",
    search_digest: "bytes",
    series: "text",
    resource: "bytes",
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
    unknown_at: "integer",
    unknown_running: "integer",
    settled_running: "integer",
    absent_running: "integer",
    insurer_id: "text",
    answered_id: "text",
    closed: "integer",
    key_id: "text",
    match_fields: "bytes",
    answer: "bytes",
    answer_until: "integer",
    forget_at: "integer",
    queries: "integer",
    queried_at: "integer",
    next_query_at: "integer",
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
    key_id: "text",
    encrypted: "bytes",
    requests_per_day: "integer",
    submissions_per_day: "integer",
    credentials_end_at: "integer",
    certificate_ends_at: "integer",
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
};

/** A row as it is written to a file: its columns in order, bytes in base64. */
export type ExportedRow = readonly (string | number | null)[];

/** A row as it is written to a file. */
export function exported(table: ExportedTable, row: Row): ExportedRow {
  return Object.entries(exportedColumns[table]).map(([name, type]) => {
    const value = row[name];
    if (value === null || value === undefined) return null;
    if (type === "bytes") return asBytes(value).toString("base64");
    return type === "integer" ? Number(value) : String(value);
  });
}

/** The values of a row of a file, as its columns take them. */
export function values(table: ExportedTable, row: ExportedRow): readonly Value[] {
  return Object.values(exportedColumns[table]).map((type, index) => {
    const value = row[index] ?? null;
    return type === "bytes" && value !== null ? Buffer.from(String(value), "base64") : value;
  });
}
