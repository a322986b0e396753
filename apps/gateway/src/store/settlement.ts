import type { Resolution, Settled, Settlement, SubmissionState } from "./record.ts";
import { asOwner, asResolution, asState, bytesOf } from "./rows.ts";
import { digestOf, numberOf, OPEN, statement } from "./sql.ts";
import type { Dialect, Statement, Transaction, Value } from "./statement.ts";
import type { Transactions } from "./transactions.ts";

/** How a submission ends, by its attempt, by a query or by a person, and what is recorded of persons. */
export function settlementTransactions(
  dialect: Dialect,
): Pick<
  Transactions,
  "settle" | "settleByQuery" | "settleManually" | "recordLook" | "resolutions"
> {
  return {
    settle: (settlement) => settle(dialect, settlement, OPEN),

    settleByQuery: (settlement, fence) =>
      settle(dialect, settlement, "state = 'outcome_unknown' AND fence = $10", fence),

    *settleManually(settlement, resolution) {
      const { at, id, state } = settlement;
      for (const from of ["needs_review", "outcome_unknown", "succeeded", "failed"] as const) {
        // The same state again only corrects the identifier.
        const settled =
          from === state
            ? yield* settle(
                dialect,
                settlement,
                `state = '${from}' AND insurer_id <> $10`,
                settlement.insurerId,
              )
            : yield* settle(dialect, settlement, `state = '${from}'`);
        if (settled === "not_open") continue;
        if (settled === "settled") yield insertResolution(id, at, resolution, from, state);
        return settled;
      }
      return "not_open";
    },

    *recordLook(id, at, resolution) {
      const [row] = yield statement(
        "SELECT state FROM gateway_submissions WHERE id = $1",
        bytesOf(id),
      );
      if (row === undefined) return;
      const state = asState(row.state);
      yield insertResolution(id, at, resolution, state, state);
    },

    *resolutions(id) {
      const rows = yield statement(
        "SELECT * FROM gateway_resolutions WHERE submission = $1 ORDER BY number",
        bytesOf(id),
      );
      return rows.map(asResolution);
    },
  };
}

/** Settles a submission. The match fields are dropped: they hold a customer's tax number. */
function* settle(
  dialect: Dialect,
  settlement: Settlement,
  condition: string,
  ...values: readonly Value[]
): Transaction<Settled> {
  const { id, insurerId } = settlement;
  if (insurerId !== null) {
    const [own] = yield statement(
      "SELECT segment, connection, creates FROM gateway_submissions WHERE id = $1",
      bytesOf(id),
    );
    const segment = String(own?.segment);
    const connection = String(own?.connection);
    // Two submissions must not take the same identifier for their own.
    if (dialect.lock !== null)
      yield dialect.lock(numberOf(digestOf(segment, connection, insurerId)));
    const [owner] = yield statement(
      `SELECT id, caller, content_digest FROM gateway_submissions
        WHERE segment = $1 AND connection = $2 AND insurer_id = $3 AND creates = 1 AND id <> $4
        LIMIT 1`,
      segment,
      connection,
      insurerId,
      bytesOf(id),
    );
    if (owner !== undefined && Number(own?.creates) === 1) return { owner: asOwner(owner) };
  }
  const rows = yield statement(
    `UPDATE gateway_submissions SET state = $2, fence = fence + 1, updated_at = $3,
      insurer_id = $4, answer = $5, key_id = $6, answer_until = $7, forget_at = $8, closed = $9,
      match_fields = NULL, next_query_at = NULL
      WHERE id = $1 AND ${condition} RETURNING number`,
    bytesOf(id),
    settlement.state,
    settlement.at,
    insurerId,
    settlement.answer,
    settlement.keyId,
    settlement.answerUntil,
    settlement.forgetAt,
    settlement.closed ? 1 : 0,
    ...values,
  );
  return rows.length > 0 ? "settled" : "not_open";
}

function insertResolution(
  id: string,
  at: number,
  { by, reason }: Resolution,
  from: SubmissionState,
  to: SubmissionState,
): Statement {
  return statement(
    `INSERT INTO gateway_resolutions (submission, at, by_whom, reason, from_state, to_state)
      VALUES ($1, $2, $3, $4, $5, $6)`,
    bytesOf(id),
    at,
    by,
    reason,
    from,
    to,
  );
}
