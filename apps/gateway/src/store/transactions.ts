import { beginSecondSend, claim, findByKey } from "./claim.ts";
import { connectionTransactions } from "./connections.ts";
import { driftTransactions } from "./drift.ts";
import type { Resolution, Settled, Settlement, SubmissionState } from "./record.ts";
import { recordingTransactions } from "./recordings.ts";
import { asBytes, asOwner, asRecord, asResolution, asState, bytesOf } from "./rows.ts";
import { digestOf, numberOf, OPEN, placesFor, statement } from "./sql.ts";
import type { Dialect, Statement, Transaction, Value } from "./statement.ts";
import type { SubmissionStore } from "./store.ts";
import { addDeleted, USAGE_COLUMNS, usageTransactions } from "./usage.ts";

/** A store's methods, each as the transaction that it is. */
export type Transactions = {
  readonly [Name in Exclude<keyof SubmissionStore, "close" | "shared">]: (
    ...parameters: Parameters<SubmissionStore[Name]>
  ) => Transaction<Awaited<ReturnType<SubmissionStore[Name]>>>;
};

/** Writes a store's methods in the dialect of its database. */
export function transactionsOf(dialect: Dialect): Transactions {
  return {
    ...connectionTransactions(dialect),
    ...usageTransactions(dialect),
    ...driftTransactions(),
    ...recordingTransactions(),

    claim: (submission, rule) => claim(dialect, submission, rule),

    *withdraw(id) {
      // Its claim may still be on the way to being written: what follows comes after it.
      if (dialect.lock !== null) yield dialect.lock(numberOf(bytesOf(id)));
      const rows = yield statement(
        `DELETE FROM gateway_submissions WHERE id = $1 AND ${OPEN} RETURNING ${USAGE_COLUMNS}`,
        bytesOf(id),
      );
      yield* addDeleted(rows, () => "not_sent");
    },

    findByKey,

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

    *lead(segment, owner) {
      const rows = yield statement(
        `INSERT INTO gateway_reconcilers (segment, owner, until)
          VALUES ($1, $2, ${dialect.now} + ${LEAD_MS})
          ON CONFLICT (segment) DO UPDATE SET owner = excluded.owner, until = excluded.until
          WHERE gateway_reconcilers.owner = excluded.owner
            OR gateway_reconcilers.until < ${dialect.now}
          RETURNING segment`,
        segment,
        owner,
      );
      return rows.length > 0;
    },

    *isLed(segment) {
      const rows = yield statement(
        `SELECT 1 AS found FROM gateway_reconcilers WHERE segment = $1 AND until >= ${dialect.now}`,
        segment,
      );
      return rows.length > 0;
    },

    *due(segment, at, limit, exceptConnections) {
      const except =
        exceptConnections.length === 0
          ? ""
          : `AND connection NOT IN (${placesFor(repeatedToPowerOfTwo(exceptConnections), 4)})`;
      const rows = yield statement(
        // By age: a submission that was queried in vain must not fall behind newer ones. Probes take turns instead, so
        // that one that the insurer never answers does not hide that it answers the others.
        `SELECT * FROM gateway_submissions
          WHERE state = 'outcome_unknown' AND segment = $1 AND next_query_at <= $2 ${except}
          ORDER BY ${at === "probe" ? "next_query_at, " : ""}number LIMIT $3`,
        segment,
        at === "probe" ? Number.MAX_SAFE_INTEGER : at,
        limit,
        ...repeatedToPowerOfTwo(exceptConnections),
      );
      return rows.map(asRecord);
    },

    *bringForward(segment, at, connection) {
      const rows = yield statement(
        `UPDATE gateway_submissions SET next_query_at = $2
          WHERE state = 'outcome_unknown' AND segment = $1 AND next_query_at > $2
            AND COALESCE(queried_at, 0) < $3 ${connection === null ? "" : "AND connection = $4"}
          RETURNING number`,
        segment,
        at,
        at - JUST_QUERIED_MS,
        ...(connection === null ? [] : [connection]),
      );
      return rows.length;
    },

    *bringForwardOne(id, at, unless) {
      const rows = yield statement(
        // Only a submission of unknown outcome has a next query.
        `UPDATE gateway_submissions SET next_query_at = $2
          WHERE id = $1 AND next_query_at > $2 AND COALESCE(queried_at, 0) <= $3
          RETURNING number`,
        bytesOf(id),
        at,
        unless,
      );
      return rows.length > 0;
    },

    *reopen(id, at) {
      const rows = yield statement(
        `UPDATE gateway_submissions SET state = 'outcome_unknown', fence = fence + 1,
          updated_at = $2, next_query_at = $2
          WHERE id = $1 AND state = 'needs_review' AND match_fields IS NOT NULL
          RETURNING number`,
        bytesOf(id),
        at,
      );
      return rows.length > 0;
    },

    *postpone({ fence, id }, at, nextQueryAt) {
      yield statement(
        `UPDATE gateway_submissions SET state = $3, fence = fence + 1, queries = queries + 1,
          updated_at = $4, queried_at = $4, next_query_at = $5
          WHERE id = $1 AND fence = $2 AND state = 'outcome_unknown'`,
        bytesOf(id),
        fence,
        nextQueryAt === null ? "needs_review" : "outcome_unknown",
        at,
        nextQueryAt,
      );
    },

    *delay({ fence, id }, at, nextQueryAt) {
      yield statement(
        `UPDATE gateway_submissions SET queried_at = $3, next_query_at = $4
          WHERE id = $1 AND fence = $2 AND state = 'outcome_unknown'`,
        bytesOf(id),
        fence,
        at,
        nextQueryAt,
      );
    },

    *find(id) {
      const [row] = yield statement("SELECT * FROM gateway_submissions WHERE id = $1", bytesOf(id));
      return row === undefined ? null : asRecord(row);
    },

    beginSecondSend: (submission) => beginSecondSend(dialect, submission),

    *list(states, limit) {
      if (states.length === 0) return [];
      const rows = yield statement(
        // Without what is encrypted: it is not shown, and copying it would keep others waiting.
        `SELECT id, caller, key_digest, content_digest, match_digest, resource, provider, segment, connection,
          endpoint, creates, state, fence,
          received_at, day, updated_at, lease_until, unknown_at, insurer_id, key_id, queries,
          next_query_at
          FROM gateway_submissions WHERE state IN (${placesFor(states, 2)})
          ORDER BY number DESC LIMIT $1`,
        limit,
        ...states,
      );
      return rows.map(asRecord);
    },

    *openConnections() {
      const rows = yield statement(
        `SELECT DISTINCT segment, connection FROM gateway_submissions WHERE ${OPEN}`,
      );
      return rows.map(({ connection, segment }) => ({
        segment: String(segment),
        connection: String(connection),
      }));
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

    *competitors({ connection, id, matchDigest, provider }, insurerIds) {
      const [alike] = yield statement(
        `SELECT COUNT(*) AS count, COUNT(CASE WHEN state = 'in_flight' THEN 1 END) AS in_flight
          FROM gateway_submissions
          WHERE match_digest = $1 AND ${OPEN} AND id <> $2 AND connection = $3`,
        matchDigest,
        bytesOf(id),
        connection,
      );
      const known =
        insurerIds.length === 0
          ? []
          : yield statement(
              `SELECT insurer_id, segment, match_digest FROM gateway_submissions
                WHERE provider = $1 AND id <> $2 AND connection = $3 AND creates = 1
                  AND insurer_id IN (${placesFor(insurerIds, 4)})`,
              provider,
              bytesOf(id),
              connection,
              ...insurerIds,
            );
      return {
        openAlike: Number(alike?.count),
        inFlightAlike: Number(alike?.in_flight),
        known: known.map((row) => ({
          insurerId: String(row.insurer_id),
          segment: String(row.segment),
          alike:
            matchDigest !== null &&
            row.match_digest !== null &&
            asBytes(row.match_digest).equals(matchDigest),
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
          RETURNING id, ${USAGE_COLUMNS}`,
        at,
        limit,
      );
      yield* addDeleted(forgotten, ({ state }) => (state === "succeeded" ? "succeeded" : "failed"));
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
        `SELECT key_id FROM gateway_submissions WHERE key_id IS NOT NULL
          UNION SELECT key_id FROM gateway_connections WHERE key_id IS NOT NULL`,
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

/** A query that was made within this time is not brought forward with all others. */
const JUST_QUERIED_MS = 1_000;

/** So long a process reconciles for a segment after it last said so. */
const LEAD_MS = 5_000;

/** A list with its last value repeated, so that a statement has few forms: each form is prepared once. */
function repeatedToPowerOfTwo(values: readonly string[]): readonly string[] {
  const length = values.length === 0 ? 0 : 2 ** Math.ceil(Math.log2(values.length));
  return [
    ...values,
    ...values.slice(-1).flatMap((last) => Array(length - values.length).fill(last)),
  ];
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
