import { accountTransactions } from "./account-rows.ts";
import { claimTransaction, deleteLaterKeys, findByKey } from "./claim.ts";
import { reconciliationTransactions } from "./reconciliation.ts";
import { bytesFromColumn, submissionFromRow, uuidToBytes } from "./rows.ts";
import { atLeastCounted, runningTimeTransactions } from "./running-time.ts";
import { settlementTransactions } from "./settlement.ts";
import { IS_OPEN, lock, lockNumberOf, placeholdersFor, runWrite, statement } from "./sql.ts";
import type { Dialect } from "./statement.ts";
import type { Transactions } from "./store.ts";
import { restoredTransactions } from "./store-identity.ts";
import { addDeleted, USAGE_COLUMNS, usageTransactions } from "./stored-usage.ts";

/** Returns the transactions of all the store's methods, in a database's dialect. */
export function transactionsOf(dialect: Dialect): Transactions {
  return {
    ...accountTransactions(),
    ...usageTransactions,
    ...runningTimeTransactions(dialect),
    ...restoredTransactions(),
    ...settlementTransactions(),
    ...reconciliationTransactions(dialect),

    claim: claimTransaction(dialect),

    *withdraw(id) {
      // The claim of the withdrawn submission may not be committed yet. The lock waits for the claim.
      yield lock(lockNumberOf(uuidToBytes(id)));
      const rows = yield statement(
        `DELETE FROM gateway_submissions WHERE id = $1 AND ${IS_OPEN} RETURNING ${USAGE_COLUMNS}`,
        uuidToBytes(id),
      );
      yield* addDeleted(rows, () => "not_sent");
      yield* deleteLaterKeys(rows.length > 0 ? [uuidToBytes(id)] : []);
    },

    *findByKey(keyDigest) {
      // A claim with the searched key may not be committed yet. The lock waits for the claim.
      yield lock(lockNumberOf(keyDigest));
      return yield* findByKey(keyDigest);
    },

    *markUnknown(id, { at, running }, nextQueryAt, answeredId = null) {
      yield statement(
        `UPDATE gateway_submissions SET state = 'outcome_unknown', fence = fence + 1,
          updated_at = $2, unknown_at = $2, unknown_running = ${atLeastCounted("$4")}, next_query_at = $3,
          answered_id = $5
          WHERE id = $1 AND state = 'in_flight'`,
        uuidToBytes(id),
        at,
        nextQueryAt,
        running,
        answeredId,
      );
    },

    *expireLeases(before, { at, running }) {
      return yield* runWrite(
        statement(
          `UPDATE gateway_submissions SET state = 'outcome_unknown', fence = fence + 1,
            updated_at = $1, unknown_at = $1, unknown_running = $2, next_query_at = $2
            WHERE state = 'in_flight' AND lease_until < $3`,
          at,
          running,
          before,
        ),
      );
    },

    *find(id) {
      const [row] = yield statement(
        "SELECT * FROM gateway_submissions WHERE id = $1",
        uuidToBytes(id),
      );
      return row === undefined ? null : submissionFromRow(row);
    },

    *list(states, limit) {
      if (states.length === 0) return [];
      const rows = yield statement(
        // The list omits the encrypted columns, because copying these columns would delay other statements.
        `SELECT id, caller, key_digest, has_chosen_key, content_digest, match_digest, search_digest, series, provider, segment, account,
          endpoint, creates, state, fence,
          received_at, received_running, day, updated_at, lease_until, unknown_at, unknown_running,
          absent_running, insurer_id, answered_id, key_id, queries,
          next_query_at
          FROM gateway_submissions WHERE state IN (${placeholdersFor(states, 2)})
          ORDER BY number DESC LIMIT $1`,
        limit,
        ...states,
      );
      return rows.map(submissionFromRow);
    },

    *openAccounts() {
      const rows = yield statement(
        `SELECT DISTINCT segment, account FROM gateway_submissions WHERE ${IS_OPEN}`,
      );
      return rows.map(({ account, segment }) => ({
        segment: String(segment),
        account: String(account),
      }));
    },

    *countUnknown() {
      const rows = yield statement(
        // The first condition equals the condition of the index gateway_submissions_open, so that the database can use
        // the index.
        `SELECT segment, COUNT(*) AS count FROM gateway_submissions
          WHERE ${IS_OPEN} AND state <> 'in_flight' GROUP BY segment ORDER BY segment`,
      );
      return rows.map(({ count, segment }) => ({ segment: String(segment), count: Number(count) }));
    },

    *forget({ at, running }, limit) {
      const dropped = yield* runWrite(
        statement(
          `UPDATE gateway_submissions SET answer = NULL, key_id = NULL, answer_until = NULL,
              match_fields = NULL, next_query_at = NULL
            WHERE number IN (SELECT number FROM gateway_submissions
              WHERE answer IS NOT NULL AND answer_until < $1 LIMIT $2)`,
          at,
          limit,
        ),
      );
      const forgotten = yield statement(
        `DELETE FROM gateway_submissions WHERE number IN
          (SELECT number FROM gateway_submissions WHERE forget_at < $1 LIMIT $2)
          RETURNING id, ${USAGE_COLUMNS}`,
        running,
        limit,
      );
      yield* addDeleted(forgotten, ({ state }) => (state === "succeeded" ? "succeeded" : "failed"));
      const ids = forgotten.map(({ id }) => bytesFromColumn(id));
      yield* deleteLaterKeys(ids);
      if (ids.length > 0)
        yield statement(
          `DELETE FROM gateway_resolutions WHERE submission IN (${placeholdersFor(ids, 1)})`,
          ...ids,
        );
      return Math.max(dropped, forgotten.length);
    },

    *encryptedWith() {
      const rows = yield statement(
        `SELECT key_id FROM gateway_submissions WHERE key_id IS NOT NULL
          UNION SELECT key_id FROM gateway_accounts WHERE key_id IS NOT NULL`,
      );
      return rows.map((row) => String(row.key_id));
    },

    *secret(name) {
      const [row] = yield statement("SELECT * FROM gateway_secrets WHERE name = $1", name);
      return row === undefined
        ? null
        : { keyId: String(row.key_id), encrypted: bytesFromColumn(row.encrypted) };
    },

    *putSecret(name, { keyId, encrypted }, instead) {
      yield statement(
        `INSERT INTO gateway_secrets (name, key_id, encrypted) VALUES ($1, $2, $3)
          ON CONFLICT (name) DO UPDATE SET key_id = excluded.key_id, encrypted = excluded.encrypted
          WHERE gateway_secrets.key_id = $4`,
        name,
        keyId,
        encrypted,
        instead ?? "",
      );
    },
  };
}
