import type { DifferenceKind } from "../drift/difference.ts";
import { statement } from "./sql.ts";
import type { Dialect, Row, Transaction } from "./statement.ts";

/** A difference that answers to an endpoint have, and how often it was seen. */
export interface DriftRecord {
  readonly segment: string;
  readonly endpoint: string;
  readonly pointer: string;
  readonly kind: DifferenceKind;
  readonly breaking: boolean;
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Where the differences of insurers' answers are stored. */
export interface DriftStore {
  /** Adds to what is stored; replicas add to the same. */
  addDrift(records: readonly DriftRecord[]): Promise<void>;
  /** Breaking ones first, then the last seen first. */
  listDrift(): Promise<readonly DriftRecord[]>;
  /** Deletes what was last seen before an instant. */
  forgetDrift(before: number): Promise<void>;
}

/** The transactions of `DriftStore`. */
export type DriftTransactions = {
  readonly [Name in keyof DriftStore]: (
    ...parameters: Parameters<DriftStore[Name]>
  ) => Transaction<Awaited<ReturnType<DriftStore[Name]>>>;
};

/** The table of differences. */
export function driftTables({ integer }: Pick<Dialect, "integer">): readonly string[] {
  return [
    `CREATE TABLE gateway_drift (
      segment TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      pointer TEXT NOT NULL,
      kind TEXT NOT NULL,
      breaking ${integer} NOT NULL,
      count ${integer} NOT NULL,
      first_at ${integer} NOT NULL,
      last_at ${integer} NOT NULL,
      PRIMARY KEY (segment, endpoint, pointer, kind, breaking)
    )`,
  ];
}

/** How many differences of an insurer are counted separately: an answer with invented names could have any number. */
const MOST_OF_A_SEGMENT = 500;

/** Replaces every further JSON Pointer. */
export const OTHER_PLACES = "/*";

/** Writes the transactions, which are the same in both databases. */
export function driftTransactions(): DriftTransactions {
  return {
    *addDrift(records) {
      // Replicas that write the same rows in another order would wait for each other.
      const sorted = records.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
      for (const record of sorted) yield* add(record);
    },

    *listDrift() {
      const rows = yield statement(
        "SELECT * FROM gateway_drift ORDER BY breaking DESC, last_at DESC, segment, endpoint, pointer, kind",
      );
      return rows.map(asRecord);
    },

    *forgetDrift(before) {
      yield statement("DELETE FROM gateway_drift WHERE last_at < $1", before);
    },
  };
}

function keyOf({ breaking, endpoint, kind, pointer, segment }: DriftRecord): string {
  return JSON.stringify([segment, endpoint, pointer, kind, breaking]);
}

function* add(record: DriftRecord): Transaction<void> {
  const { count, endpoint, firstAt, kind, lastAt, pointer, segment } = record;
  const breaking = record.breaking ? 1 : 0;
  const [known] = yield statement(
    `SELECT 1 AS found FROM gateway_drift WHERE segment = $1 AND endpoint = $2 AND pointer = $3
      AND kind = $4 AND breaking = $5`,
    segment,
    endpoint,
    pointer,
    kind,
    breaking,
  );
  const [all] =
    known === undefined
      ? yield statement("SELECT COUNT(*) AS count FROM gateway_drift WHERE segment = $1", segment)
      : [];
  const isFull = Number(all?.count ?? 0) >= MOST_OF_A_SEGMENT;
  yield statement(
    `INSERT INTO gateway_drift (segment, endpoint, pointer, kind, breaking, count, first_at, last_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (segment, endpoint, pointer, kind, breaking) DO UPDATE SET
        count = gateway_drift.count + excluded.count,
        first_at = CASE WHEN excluded.first_at < gateway_drift.first_at
          THEN excluded.first_at ELSE gateway_drift.first_at END,
        last_at = CASE WHEN excluded.last_at > gateway_drift.last_at
          THEN excluded.last_at ELSE gateway_drift.last_at END`,
    segment,
    endpoint,
    isFull ? OTHER_PLACES : pointer,
    kind,
    breaking,
    count,
    firstAt,
    lastAt,
  );
}

function asRecord(row: Row): DriftRecord {
  return {
    segment: String(row.segment),
    endpoint: String(row.endpoint),
    pointer: String(row.pointer),
    // Written by `addDrift` alone.
    kind: String(row.kind) as DifferenceKind,
    breaking: Number(row.breaking) === 1,
    count: Number(row.count),
    firstAt: Number(row.first_at),
    lastAt: Number(row.last_at),
  };
}
