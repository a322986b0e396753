import { claim } from "./claim.ts";
import type { Settlement } from "./record.ts";
import { asBytes, asRecord, asResolution, bytesOf } from "./rows.ts";
import { digestOf, numberOf, OPEN, placesFor, statement } from "./sql.ts";
import type { Dialect, Transaction, Value } from "./statement.ts";
import type { SubmissionStore } from "./store.ts";

/** A store's methods as the transactions they are. */
export type Transactions = {
  readonly [Name in Exclude<keyof SubmissionStore, "close" | "shared">]: (
    ...parameters: Parameters<SubmissionStore[Name]>
  ) => Transaction<Awaited<ReturnType<SubmissionStore[Name]>>>;
};

/** Writes a store's methods in the dialect of its database. */
export function transactionsOf(dialect: Dialect): Transactions {
  return {
    claim: (submission) => claim(dialect, submission),

    *withdraw(id) {
      // Its claim may still be on the way to being written: what follows comes after it.
      if (dialect.lock !== null) yield dialect.lock(numberOf(bytesOf(id)));
      yield statement(
        "DELETE FROM gateway_submissions WHERE id = $1 AND state IN ('in_flight', 'outcome_unknown')",
        bytesOf(id),
      );
    },

    settle: (settlement) => settle(settlement, OPEN),

    *settleByQuery(settlement, fence, segment) {
      const { id, insurerId } = settlement;
      if (insurerId !== null) {
        // Two queries must not take the same application for their own.
        if (dialect.lock !== null) yield dialect.lock(numberOf(digestOf(segment, insurerId)));
        const others = yield statement(
          `SELECT number FROM gateway_submissions
            WHERE segment = $1 AND insurer_id = $2 AND id <> $3 LIMIT 1`,
          segment,
          insurerId,
          bytesOf(id),
        );
        if (others.length > 0) return false;
      }
      return yield* settle(settlement, "state = 'outcome_unknown' AND fence = $9", fence);
    },

    *settleManually(settlement, resolution) {
      for (const from of ["needs_review", "outcome_unknown"] as const) {
        if (!(yield* settle(settlement, `state = '${from}'`))) continue;
        yield statement(
          `INSERT INTO gateway_resolutions (submission, at, by_whom, reason, from_state, to_state)
            VALUES ($1, $2, $3, $4, $5, $6)`,
          bytesOf(settlement.id),
          settlement.at,
          resolution.by,
          resolution.reason,
          from,
          settlement.state,
        );
        return true;
      }
      return false;
    },

    *markUnknown(id, at, nextQueryAt) {
      yield statement(
        `UPDATE gateway_submissions SET state = 'outcome_unknown', fence = fence + 1,
          updated_at = $2, unknown_at = $2, next_query_at = $3
          WHERE id = $1 AND state = 'in_flight'`,
        bytesOf(id),
        at,
        nextQueryAt,
      );
    },

    *expireLeases(before, at) {
      const rows = yield statement(
        `UPDATE gateway_submissions SET state = 'outcome_unknown', fence = fence + 1,
          updated_at = $2, unknown_at = $2, next_query_at = $2
          WHERE state = 'in_flight' AND lease_until < $1 RETURNING number`,
        before,
        at,
      );
      return rows.length;
    },

    *takeDue(segment, at, hiddenUntil, limit) {
      const rows = yield statement(
        // Found once and for all: found again for each row, they would become more than the limit.
        `WITH due AS MATERIALIZED (SELECT number FROM gateway_submissions
            WHERE state = 'outcome_unknown' AND segment = $4 AND next_query_at <= $1
            ORDER BY next_query_at LIMIT $3 ${dialect.skipLocked})
          UPDATE gateway_submissions SET fence = fence + 1, next_query_at = $2
          WHERE number IN (SELECT number FROM due)
          RETURNING *`,
        at,
        hiddenUntil,
        limit,
        segment,
      );
      return rows.map(asRecord);
    },

    *postpone(id, fence, at, nextQueryAt) {
      yield statement(
        `UPDATE gateway_submissions SET state = $3, fence = fence + 1, queries = queries + 1,
          updated_at = $4, next_query_at = $5
          WHERE id = $1 AND fence = $2 AND state = 'outcome_unknown'`,
        bytesOf(id),
        fence,
        nextQueryAt === null ? "needs_review" : "outcome_unknown",
        at,
        nextQueryAt,
      );
    },

    *find(id) {
      const [row] = yield statement("SELECT * FROM gateway_submissions WHERE id = $1", bytesOf(id));
      return row === undefined ? null : asRecord(row);
    },

    *list(states, limit) {
      if (states.length === 0) return [];
      const rows = yield statement(
        // Without what is encrypted: it is not shown, and copying it would keep others waiting.
        `SELECT id, caller, claim, fingerprint, match_digest, provider, segment, endpoint, state, fence,
          received_at, updated_at, lease_until, unknown_at, insurer_id, key_id, queries,
          next_query_at
          FROM gateway_submissions WHERE state IN (${placesFor(states, 2)})
          ORDER BY number DESC LIMIT $1`,
        limit,
        ...states,
      );
      return rows.map(asRecord);
    },

    *countUnknown() {
      const rows = yield statement(
        // The first condition is the index's own.
        `SELECT segment, COUNT(*) AS count FROM gateway_submissions
          WHERE ${OPEN} AND state <> 'in_flight' GROUP BY segment ORDER BY segment`,
      );
      return rows.map(({ count, segment }) => ({ segment: String(segment), count: Number(count) }));
    },

    *resolutions(id) {
      const rows = yield statement(
        "SELECT * FROM gateway_resolutions WHERE submission = $1 ORDER BY number",
        bytesOf(id),
      );
      return rows.map(asResolution);
    },

    *competitors({ id, matchDigest, provider }, insurerIds) {
      const [alike] = yield statement(
        `SELECT COUNT(*) AS count FROM gateway_submissions
          WHERE match_digest = $1 AND ${OPEN} AND id <> $2`,
        matchDigest,
        bytesOf(id),
      );
      const known =
        insurerIds.length === 0
          ? []
          : yield statement(
              `SELECT insurer_id, segment FROM gateway_submissions
                WHERE provider = $1 AND id <> $2 AND insurer_id IN (${placesFor(insurerIds, 3)})`,
              provider,
              bytesOf(id),
              ...insurerIds,
            );
      return {
        openAlike: Number(alike?.count),
        known: known.map((row) => ({
          insurerId: String(row.insurer_id),
          segment: String(row.segment),
        })),
      };
    },

    *forget(at, limit) {
      const dropped = yield statement(
        `UPDATE gateway_submissions SET answer = NULL, key_id = NULL, answer_until = NULL
          WHERE number IN (SELECT number FROM gateway_submissions
            WHERE answer IS NOT NULL AND answer_until < $1 LIMIT $2)
          RETURNING number`,
        at,
        limit,
      );
      const forgotten = yield statement(
        `DELETE FROM gateway_submissions WHERE number IN
          (SELECT number FROM gateway_submissions WHERE forget_at < $1 LIMIT $2)
          RETURNING id`,
        at,
        limit,
      );
      const ids = forgotten.map(({ id }) => asBytes(id));
      if (ids.length > 0)
        yield statement(
          `DELETE FROM gateway_resolutions WHERE submission IN (${placesFor(ids, 1)})`,
          ...ids,
        );
      return Math.max(dropped.length, forgotten.length);
    },

    *encryptedWith() {
      const rows = yield statement(
        "SELECT DISTINCT key_id FROM gateway_submissions WHERE key_id IS NOT NULL",
      );
      return rows.map((row) => String(row.key_id));
    },

    *secret(name) {
      const [row] = yield statement("SELECT * FROM gateway_secrets WHERE name = $1", name);
      return row === undefined
        ? null
        : { keyId: String(row.key_id), encrypted: asBytes(row.encrypted) };
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

/** What was kept to look the outcome up is dropped with the settlement: it holds a customer's tax number. */
function* settle(
  settlement: Settlement,
  condition: string,
  ...values: readonly Value[]
): Transaction<boolean> {
  const rows = yield statement(
    `UPDATE gateway_submissions SET state = $2, fence = fence + 1, updated_at = $3,
      insurer_id = $4, answer = $5, key_id = $6, answer_until = $7, forget_at = $8,
      match_fields = NULL, next_query_at = NULL
      WHERE id = $1 AND ${condition} RETURNING number`,
    bytesOf(settlement.id),
    settlement.state,
    settlement.at,
    settlement.insurerId,
    settlement.answer,
    settlement.keyId,
    settlement.answerUntil,
    settlement.forgetAt,
    ...values,
  );
  return rows.length > 0;
}
