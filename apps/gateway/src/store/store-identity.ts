import { randomUUID } from "node:crypto";
import { StoreRefusedError } from "./faults.ts";
import { change, statement } from "./sql.ts";
import type { Dialect, Transaction, TransactionsOf } from "./statement.ts";

// A store knows who made it and whether its submissions can be trusted to be all of them: one row of its own table.

/** Who a store was made for: `store create` makes one for insurers; gateways without an insurer make their own. */
export type MadeFor = "insurers" | "sandboxes";

/**
 * Whether gateways serve from a store: `usual` for all submissions, `restored` only for those that it knows; not at all from
 * one that was `copied` to another place, or that is `incomplete` because a copy into it has not ended.
 */
export type StoreMark = "usual" | "incomplete" | "copied" | "restored";

/** The row. */
export interface StoreIdentity {
  /** Names the store, and every copy of it. */
  readonly id: string;
  readonly madeFor: MadeFor;
  readonly mark: StoreMark;
  /** When the mark was set, in milliseconds since 1970. */
  readonly markedAt: number;
  /** The place that it was copied to or restored from; empty for none. */
  readonly place: string;
}

/** The table of the row. */
export function identityTable({ integer }: Pick<Dialect, "integer">): string {
  return `CREATE TABLE gateway_store (
    one ${integer} PRIMARY KEY,
    id TEXT NOT NULL,
    made_for TEXT NOT NULL,
    mark TEXT NOT NULL,
    marked_at ${integer} NOT NULL,
    place TEXT NOT NULL
  )`;
}

/** A condition of a statement: gateways may send submissions that the store does not know. */
export const KNOWS_ALL = "EXISTS (SELECT 1 FROM gateway_store WHERE one = 1 AND mark = 'usual')";

/** Makes the row of a new store. */
export function newIdentity(madeFor: MadeFor): StoreIdentity {
  return { id: randomUUID(), madeFor, mark: "usual", markedAt: Date.now(), place: "" };
}

/** Reads the row; null in a store that has none. */
export function* readIdentity(dialect: Dialect): Transaction<StoreIdentity | null> {
  const [table] = yield dialect.findTable("gateway_store");
  if (table === undefined) return null;
  const [row] = yield statement("SELECT * FROM gateway_store");
  if (row === undefined) return null;
  return {
    id: String(row.id),
    // Only this file writes them.
    madeFor: String(row.made_for) as MadeFor,
    mark: String(row.mark) as StoreMark,
    markedAt: Number(row.marked_at),
    place: String(row.place),
  };
}

/** Replaces the row. */
export function* writeIdentity(identity: StoreIdentity): Transaction<void> {
  const { id, madeFor, mark, markedAt, place } = identity;
  yield statement("DELETE FROM gateway_store");
  yield statement(
    "INSERT INTO gateway_store (one, id, made_for, mark, marked_at, place) VALUES (1, $1, $2, $3, $4, $5)",
    id,
    madeFor,
    mark,
    markedAt,
    place,
  );
}

/**
 * Refuses a store that lacks submissions, or whose submissions are continued elsewhere.
 * @throws StoreRefusedError with what to do
 */
export function refuseMarked({ mark, markedAt, place }: StoreIdentity): void {
  if (mark === "incomplete")
    throw new StoreRefusedError(
      "A copy into this store was interrupted, so it has only some of the submissions. Run the same `insurance-gateway store copy` or `store restore` again: it starts from the beginning.",
    );
  if (mark === "copied")
    throw new StoreRefusedError(
      [
        `This store was copied to ${place} at ${new Date(markedAt).toISOString()}, and gateways serve from that one. Use it: set DATABASE_URL or \`data\` to it.`,
        "If you gave the copy up and no gateway ever served from it, run `insurance-gateway submissions mark-restored`, then `submissions accept-restore`, with this store.",
      ].join("\n"),
    );
}

/** When an account's submissions were last written. */
export interface LastRecord {
  readonly segment: string;
  readonly account: string;
  readonly submissions: number;
  /** The last change of any of them, in milliseconds since 1970. */
  readonly at: number;
}

/** The functions of a gateway and an operator for a restored store. */
export interface RestoredStore {
  mark(): Promise<StoreMark>;
  /** The last record of every account, the newest first. */
  lastRecords(): Promise<readonly LastRecord[]>;
  /** Lets gateways send submissions that the store does not know; false when it was not restored. */
  acceptRestore(at: number): Promise<boolean>;
}

/** Reads the mark of a store that is open. */
export function* readMark(): Transaction<StoreMark> {
  const [row] = yield statement("SELECT mark FROM gateway_store");
  return String(row?.mark) as StoreMark; // only this file writes it
}

/** The transactions of a store that was restored. */
export function restoredTransactions(): TransactionsOf<RestoredStore> {
  return {
    mark: readMark,
    *lastRecords() {
      const rows = yield statement(
        `SELECT segment, account, COUNT(*) AS submissions, MAX(updated_at) AS at FROM gateway_submissions
          GROUP BY segment, account ORDER BY at DESC, segment, account`,
      );
      return rows.map(({ at, account, segment, submissions }) => ({
        segment: String(segment),
        account: String(account),
        submissions: Number(submissions),
        at: Number(at),
      }));
    },
    *acceptRestore(at) {
      const accepted = yield* change(
        statement(
          "UPDATE gateway_store SET mark = 'usual', marked_at = $1 WHERE mark = 'restored'",
          at,
        ),
      );
      return accepted > 0;
    },
  };
}
