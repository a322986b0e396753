import type { SubmissionState } from "@insurance-gateway/core/runtime";
import type { Resolution, Settlement, SettleResult } from "./record.ts";
import { ownerFromRow, resolutionFromRow, stateFromColumn, uuidToBytes } from "./rows.ts";
import { atLeastCounted } from "./running-time.ts";
import { digestOf, IS_OPEN, lock, lockNumberOf, runWrite, statement } from "./sql.ts";
import type { SqlValue, Statement, Transaction } from "./statement.ts";
import type { Transactions } from "./store.ts";

/** Returns the transactions that settle a submission by an answer, a query or an operator. */
export function settlementTransactions(): Pick<
  Transactions,
  "settle" | "settleByQuery" | "resolveManually" | "correctFailed" | "recordLook" | "resolutions"
> {
  return {
    settle: settleOpen,

    settleByQuery: (settlement, fence) =>
      settle(settlement, "state = 'outcome_unknown' AND fence = $13", fence),

    *resolveManually(settlement, resolution) {
      const { at, id, state } = settlement;
      for (const from of ["needs_review", "outcome_unknown", "succeeded", "failed"] as const) {
        // A resolution with the state that the submission already has only corrects the identifier.
        const settled =
          from === state
            ? yield* settle(
                settlement,
                `state = '${from}' AND insurer_id <> $13`,
                settlement.insurerId,
              )
            : yield* settle(settlement, `state = '${from}'`);
        if (settled === "not_open") continue;
        if (settled === "settled") yield insertResolution(id, at, resolution, from, state);
        return settled;
      }
      return "not_open";
    },

    *correctFailed(settlement, resolution) {
      const { at, id, state } = settlement;
      const settled = yield* settleByAnswer(settlement, "state = 'failed'");
      if (settled === "settled") yield insertResolution(id, at, resolution, "failed", state);
      return settled;
    },

    *recordLook(id, at, resolution) {
      const [row] = yield statement(
        "SELECT state FROM gateway_submissions WHERE id = $1",
        uuidToBytes(id),
      );
      if (row === undefined) return;
      const state = stateFromColumn(row.state);
      yield insertResolution(id, at, resolution, state, state);
    },

    *resolutions(id) {
      const rows = yield statement(
        "SELECT * FROM gateway_resolutions WHERE submission = $1 ORDER BY number",
        uuidToBytes(id),
      );
      return rows.map(resolutionFromRow);
    },
  };
}

/** SQL that settles a submission. The statement deletes the match fields (a tax number) unless a query needs them. */
const SETTLE_STATEMENT = `UPDATE gateway_submissions SET state = $2, fence = fence + 1, updated_at = $3,
  insurer_id = $4, answer = $5, key_id = $6, answer_until = $7, forget_at = $8, closed = $9,
  settled_running = ${atLeastCounted("$10")}, match_fields = $11, next_query_at = $12 WHERE id = $1`;

/** SQL condition that the settlement's identifier is new at all segments. */
const IS_NEW_IDENTIFIER = `NOT EXISTS (SELECT 1 FROM gateway_submissions AS other
  WHERE other.insurer_id = $4 AND other.id <> $1)`;

/**
 * Returns the SQL condition that the item in the insurer's answer cannot belong to another account's open submission.
 * @param first - number of the first of two SQL parameters, which are the values of `RivalTimes`
 */
function hasNoRival(first: number): string {
  return `NOT EXISTS (SELECT 1 FROM gateway_submissions AS rival
    WHERE rival.match_digest = gateway_submissions.match_digest AND ${IS_OPEN}
    AND NOT (rival.segment = gateway_submissions.segment
      AND rival.account = gateway_submissions.account)
    AND rival.received_at <= $${first}
    AND (rival.unknown_at IS NULL OR rival.unknown_at >= $${first + 1}))`;
}

/** Settles an open submission by the insurer's answer to its attempt. */
function* settleOpen(settlement: Settlement): Transaction<SettleResult> {
  const { insurerId, rivals } = settlement;
  if (insurerId !== null) yield lock(lockNumberFor(insurerId));
  const conditions = [
    IS_OPEN,
    ...(insurerId === null ? [] : [IS_NEW_IDENTIFIER]),
    ...(rivals === null ? [] : [hasNoRival(13)]),
  ];
  // Almost every identifier is new. One statement checks that the identifier is new, and settles the submission.
  const settled = yield* runWrite(
    statement(
      `${SETTLE_STATEMENT} AND ${conditions.join(" AND ")}`,
      ...settlementValues(settlement),
      ...rivalValues(settlement),
    ),
  );
  if (settled > 0) return "settled";
  return insurerId === null && rivals === null
    ? "not_open"
    : yield* settleByAnswer(settlement, IS_OPEN);
}

/**
 * Settles a submission by the insurer's answer, unless another account's open submission may have created the item
 * that the answer names.
 * @param condition - the required state of the submission, in SQL
 */
function* settleByAnswer(settlement: Settlement, condition: string): Transaction<SettleResult> {
  if (settlement.rivals !== null) {
    const contested = yield statement(
      `SELECT 1 AS found FROM gateway_submissions
        WHERE id = $1 AND ${condition} AND NOT ${hasNoRival(2)}`,
      uuidToBytes(settlement.id),
      ...rivalValues(settlement),
    );
    if (contested.length > 0) return "contested";
  }
  return yield* settle(settlement, condition);
}

/** Settles a submission that meets a condition, unless another submission has the insurer's identifier. */
function* settle(
  settlement: Settlement,
  condition: string,
  ...values: readonly SqlValue[]
): Transaction<SettleResult> {
  const { id, insurerId, unique } = settlement;
  if (insurerId !== null) {
    yield lock(lockNumberFor(insurerId));
    const isOwn = "other.segment = own.segment AND other.account = own.account";
    const [owner] = yield statement(
      `SELECT other.id, other.caller, other.content_digest, other.segment, other.account
        FROM gateway_submissions AS own JOIN gateway_submissions AS other
        ON other.provider = own.provider AND other.series = own.series
        ${unique === "account" ? `AND ${isOwn}` : ""}
        WHERE own.id = $1 AND own.creates = 1
        AND other.insurer_id = $2 AND other.creates = 1 AND other.id <> $1
        ORDER BY CASE WHEN ${isOwn} THEN 0 ELSE 1 END
        LIMIT 1`,
      uuidToBytes(id),
      insurerId,
    );
    if (owner !== undefined) return { owner: ownerFromRow(owner) };
  }
  const settled = yield* runWrite(
    statement(`${SETTLE_STATEMENT} AND ${condition}`, ...settlementValues(settlement), ...values),
  );
  return settled > 0 ? "settled" : "not_open";
}

function rivalValues({ rivals }: Settlement): readonly SqlValue[] {
  return rivals === null ? [] : [rivals.receivedUntil, rivals.unknownSince];
}

/**
 * Returns the number to lock while a transaction checks who owns an insurer's identifier and assigns the identifier.
 * The number depends only on the identifier, because the segment and the account are not yet read at this point. So
 * transactions with the same identifier at two segments wait for each other.
 */
function lockNumberFor(insurerId: string): bigint {
  return lockNumberOf(digestOf("insurer identifier", insurerId));
}

function settlementValues(settlement: Settlement): readonly SqlValue[] {
  return [
    uuidToBytes(settlement.id),
    settlement.state,
    settlement.at,
    settlement.insurerId,
    settlement.answer,
    settlement.keyId,
    settlement.answerUntil,
    settlement.forgetAt,
    settlement.closed ? 1 : 0,
    settlement.running,
    settlement.recheck?.matchFields ?? null,
    settlement.recheck?.at ?? null,
  ];
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
    uuidToBytes(id),
    at,
    by,
    reason,
    from,
    to,
  );
}
