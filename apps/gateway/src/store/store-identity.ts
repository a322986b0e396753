import { randomUUID } from "node:crypto";
import { StoreRefusedError } from "./faults.ts";
import { runWrite, statement } from "./sql.ts";
import type { Dialect, Transaction, TransactionsOf } from "./statement.ts";

// One row in each store's database records for which insurers the store was made, and whether submissions may be lost.

/** The insurers for which a store was made: real insurers (by `store create`), or simulated insurers (by a gateway). */
export type StorePurpose = "insurers" | "sandboxes";

/**
 * The submissions for which gateways serve from a store: `usual` for all, `restored` only for known submissions. No
 * gateway serves from a store that was `copied` to another place, or that is `incomplete` because a copy into it has
 * not ended.
 */
export type StoreMark = "usual" | "incomplete" | "copied" | "restored";

/** The identity of a store: the row that records the insurers and the mark. */
export interface StoreIdentity {
  /** Id that the store shares with its copies. */
  readonly id: string;
  readonly madeFor: StorePurpose;
  readonly mark: StoreMark;
  /** Time of the mark, in milliseconds since 1970. */
  readonly markedAt: number;
  /** The place to which the store was copied, or from which the store was restored; empty for none. */
  readonly place: string;
}

/** Returns the statement that creates the table of the identity. */
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

/** SQL condition that the store has all submissions. Only then may gateways send submissions unknown to the store. */
export const HAS_ALL_SUBMISSIONS =
  "EXISTS (SELECT 1 FROM gateway_store WHERE one = 1 AND mark = 'usual')";

/** Returns the identity of a new store. */
export function newIdentity(madeFor: StorePurpose): StoreIdentity {
  return { id: randomUUID(), madeFor, mark: "usual", markedAt: Date.now(), place: "" };
}

/** Reads the identity of a store; null if the store has none. */
export function* readIdentity(dialect: Dialect): Transaction<StoreIdentity | null> {
  const [table] = yield dialect.findTable("gateway_store");
  if (table === undefined) return null;
  const [row] = yield statement("SELECT * FROM gateway_store");
  if (row === undefined) return null;
  return {
    id: String(row.id),
    // Only this source file writes the values of these columns.
    madeFor: String(row.made_for) as StorePurpose,
    mark: String(row.mark) as StoreMark,
    markedAt: Number(row.marked_at),
    place: String(row.place),
  };
}

/** Replaces the identity of a store. */
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
 * Refuses to serve from a store that is an incomplete copy, or that was copied to another place.
 * @throws StoreRefusedError with the remedy
 */
export function refuseMarked({ mark, markedAt, place }: StoreIdentity): void {
  if (mark === "incomplete")
    throw new StoreRefusedError(
      "A copy into this store was interrupted, so it has only some of the submissions. Run the same `insurance-gateway store copy` or `store restore` again: it starts from the beginning.",
    );
  if (mark === "copied")
    throw new StoreRefusedError(
      [
        `This store was copied to ${place} at ${new Date(markedAt).toISOString()}, and gateways serve from the copy. Set DATABASE_URL or \`data\` to the copy.`,
        "If you do not use the copy and no gateway ever served from it, run `insurance-gateway submissions mark-restored`, then `submissions accept-restore`, with this store.",
      ].join("\n"),
    );
}

/** The number of an account's submissions in a store, and the time of their last change. */
export interface LastAccountRecord {
  readonly segment: string;
  readonly account: string;
  readonly submissions: number;
  /** Time of the last change of the account's submissions, in milliseconds since 1970. */
  readonly at: number;
}

/** The methods of a store that was restored from a backup. */
export interface RestoredStoreMethods {
  mark(): Promise<StoreMark>;
  /** Returns the number and the last change of each account's submissions, newest change first. */
  lastRecords(): Promise<readonly LastAccountRecord[]>;
  /** Lets gateways send submissions that the store does not know; returns false if the store was not restored. */
  acceptRestore(at: number): Promise<boolean>;
}

/** Reads the mark of an open store. */
export function* readMark(): Transaction<StoreMark> {
  const [row] = yield statement("SELECT mark FROM gateway_store");
  return String(row?.mark) as StoreMark; // only this file writes it
}

/** Returns the transactions for a restored store. */
export function restoredTransactions(): TransactionsOf<RestoredStoreMethods> {
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
      const accepted = yield* runWrite(
        statement(
          "UPDATE gateway_store SET mark = 'usual', marked_at = $1 WHERE mark = 'restored'",
          at,
        ),
      );
      return accepted > 0;
    },
  };
}
