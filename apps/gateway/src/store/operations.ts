import { claim } from "./claim.ts";
import type { Settlement } from "./record.ts";
import { asAttestation, asBytes, asRecord, bytesOf } from "./rows.ts";
import { digestOf, numberOf, OPEN, placesFor, statement } from "./sql.ts";
import type { Dialect, Operation, Value } from "./statement.ts";
import type { SubmissionStore } from "./store.ts";

/** A store's methods as the transactions they are. */
export type Operations = {
  readonly [Name in Exclude<keyof SubmissionStore, "close" | "shared">]: (
    ...parameters: Parameters<SubmissionStore[Name]>
  ) => Operation<Awaited<ReturnType<SubmissionStore[Name]>>>;
};

/** Writes a store's methods in the dialect of its database. */
export function operationsOf(dialect: Dialect): Operations {
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

    *settleByLookup(settlement, fence, segment) {
      const { id, reference } = settlement;
      if (reference !== null) {
        // Two lookups must not take the same application for their own.
        if (dialect.lock !== null) yield dialect.lock(numberOf(digestOf(segment, reference)));
        const others = yield statement(
          `SELECT number FROM gateway_submissions
            WHERE segment = $1 AND reference = $2 AND id <> $3 LIMIT 1`,
          segment,
          reference,
          bytesOf(id),
        );
        if (others.length > 0) return false;
      }
      return yield* settle(settlement, "state = 'outcome_unknown' AND fence = $9", fence);
    },

    *settleByPerson(settlement, attestation) {
      for (const from of ["needs_review", "outcome_unknown"] as const) {
        if (!(yield* settle(settlement, `state = '${from}'`))) continue;
        yield statement(
          `INSERT INTO gateway_attestations (submission, at, by_whom, reason, from_state, to_state)
            VALUES ($1, $2, $3, $4, $5, $6)`,
          bytesOf(settlement.id),
          settlement.at,
          attestation.by,
          attestation.reason,
          from,
          settlement.state,
        );
        return true;
      }
      return false;
    },

    *markUnknown(id, at, nextLookupAt) {
      yield statement(
        `UPDATE gateway_submissions SET state = 'outcome_unknown', fence = fence + 1,
          updated_at = $2, unknown_at = $2, next_lookup_at = $3
          WHERE id = $1 AND state = 'in_flight'`,
        bytesOf(id),
        at,
        nextLookupAt,
      );
    },

    *expireLeases(before, at) {
      const rows = yield statement(
        `UPDATE gateway_submissions SET state = 'outcome_unknown', fence = fence + 1,
          updated_at = $2, unknown_at = $2, next_lookup_at = $2
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
            WHERE state = 'outcome_unknown' AND segment = $4 AND next_lookup_at <= $1
            ORDER BY next_lookup_at LIMIT $3 ${dialect.skipLocked})
          UPDATE gateway_submissions SET fence = fence + 1, next_lookup_at = $2
          WHERE number IN (SELECT number FROM due)
          RETURNING *`,
        at,
        hiddenUntil,
        limit,
        segment,
      );
      return rows.map(asRecord);
    },

    *postpone(id, fence, at, nextLookupAt) {
      yield statement(
        `UPDATE gateway_submissions SET state = $3, fence = fence + 1, lookups = lookups + 1,
          updated_at = $4, next_lookup_at = $5
          WHERE id = $1 AND fence = $2 AND state = 'outcome_unknown'`,
        bytesOf(id),
        fence,
        nextLookupAt === null ? "needs_review" : "outcome_unknown",
        at,
        nextLookupAt,
      );
    },

    *find(id) {
      const [row] = yield statement("SELECT * FROM gateway_submissions WHERE id = $1", bytesOf(id));
      return row === undefined ? null : asRecord(row);
    },

    *list(states, limit) {
      if (states.length === 0) return [];
      const rows = yield statement(
        // Without what is sealed: it is not shown, and copying it would keep others waiting.
        `SELECT id, caller, claim, fingerprint, likeness, provider, segment, endpoint, state, fence,
          received_at, updated_at, lease_until, unknown_at, reference, key_id, lookups,
          next_lookup_at
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

    *attestations(id) {
      const rows = yield statement(
        "SELECT * FROM gateway_attestations WHERE submission = $1 ORDER BY number",
        bytesOf(id),
      );
      return rows.map(asAttestation);
    },

    *rivals({ id, likeness, provider }, references) {
      const [alike] = yield statement(
        `SELECT COUNT(*) AS count FROM gateway_submissions
          WHERE likeness = $1 AND ${OPEN} AND id <> $2`,
        likeness,
        bytesOf(id),
      );
      const known =
        references.length === 0
          ? []
          : yield statement(
              `SELECT reference, segment FROM gateway_submissions
                WHERE provider = $1 AND id <> $2 AND reference IN (${placesFor(references, 3)})`,
              provider,
              bytesOf(id),
              ...references,
            );
      return {
        openAlike: Number(alike?.count),
        known: known.map((row) => ({
          reference: String(row.reference),
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
          `DELETE FROM gateway_attestations WHERE submission IN (${placesFor(ids, 1)})`,
          ...ids,
        );
      return Math.max(dropped.length, forgotten.length);
    },

    *sealedWith() {
      const rows = yield statement(
        "SELECT DISTINCT key_id FROM gateway_submissions WHERE key_id IS NOT NULL",
      );
      return rows.map((row) => String(row.key_id));
    },

    *secret(name) {
      const [row] = yield statement("SELECT * FROM gateway_secrets WHERE name = $1", name);
      return row === undefined ? null : { keyId: String(row.key_id), sealed: asBytes(row.sealed) };
    },

    *putSecret(name, { keyId, sealed }, instead) {
      yield statement(
        `INSERT INTO gateway_secrets (name, key_id, sealed) VALUES ($1, $2, $3)
          ON CONFLICT (name) DO UPDATE SET key_id = excluded.key_id, sealed = excluded.sealed
          WHERE gateway_secrets.key_id = $4`,
        name,
        keyId,
        sealed,
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
): Operation<boolean> {
  const rows = yield statement(
    `UPDATE gateway_submissions SET state = $2, fence = fence + 1, updated_at = $3,
      reference = $4, answer = $5, key_id = $6, answer_until = $7, forget_at = $8,
      evidence = NULL, next_lookup_at = NULL
      WHERE id = $1 AND ${condition} RETURNING number`,
    bytesOf(settlement.id),
    settlement.state,
    settlement.at,
    settlement.reference,
    settlement.answer,
    settlement.keyId,
    settlement.answerUntil,
    settlement.forgetAt,
    ...values,
  );
  return rows.length > 0;
}
