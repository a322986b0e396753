import type { CreationTimes } from "@insurance-gateway/core/runtime";
import { bytesFromColumn, numberOrNull, submissionFromRow, uuidToBytes } from "./rows.ts";
import { IS_OPEN, placeholdersFor, runWrite, statement } from "./sql.ts";
import type { Dialect, Row } from "./statement.ts";
import type { Transactions } from "./store.ts";

/** Returns the transactions of reconciliation: the process that leads, due queries, and similar submissions. */
export function reconciliationTransactions(
  dialect: Dialect,
): Pick<
  Transactions,
  | "lead"
  | "isLed"
  | "due"
  | "bringForward"
  | "bringForwardOne"
  | "reopen"
  | "planNextQuery"
  | "delay"
  | "endRecheck"
  | "similarSubmissions"
> {
  return {
    *lead(segment, owner) {
      const led = yield* runWrite(
        statement(
          `INSERT INTO gateway_reconcilers (segment, owner, until)
            VALUES ($1, $2, ${dialect.now} + ${LEAD_DURATION_MS})
            ON CONFLICT (segment) DO UPDATE SET owner = excluded.owner, until = excluded.until
            WHERE gateway_reconcilers.owner = excluded.owner
              OR gateway_reconcilers.until < ${dialect.now}`,
          segment,
          owner,
        ),
      );
      return led > 0;
    },

    *isLed(segment) {
      const rows = yield statement(
        `SELECT 1 AS found FROM gateway_reconcilers WHERE segment = $1 AND until >= ${dialect.now}`,
        segment,
      );
      return rows.length > 0;
    },

    *due(segment, running, limit, exceptAccounts) {
      const except =
        exceptAccounts.length === 0
          ? ""
          : `AND account NOT IN (${placeholdersFor(repeatedToPowerOfTwo(exceptAccounts), 4)})`;
      const rows = yield statement(
        // The oldest submission comes first, so that it does not wait behind newer submissions. Probes take turns, so
        // that a submission for which the insurer never answers does not hide the insurer's answers for others.
        `SELECT * FROM gateway_submissions
          WHERE segment = $1 AND next_query_at <= $2 ${except}
          ${running === "probe" ? "AND state = 'outcome_unknown' ORDER BY next_query_at, number" : "ORDER BY number"}
          LIMIT $3`,
        segment,
        running === "probe" ? Number.MAX_SAFE_INTEGER : running,
        limit,
        ...repeatedToPowerOfTwo(exceptAccounts),
      );
      return rows.map(submissionFromRow);
    },

    *bringForward(segment, running, account) {
      return yield* runWrite(
        statement(
          `UPDATE gateway_submissions SET next_query_at = $2
            WHERE state = 'outcome_unknown' AND segment = $1 AND next_query_at > $2
              AND (queried_at IS NULL OR queried_at < $3) ${account === null ? "" : "AND account = $4"}`,
          segment,
          running,
          running - JUST_QUERIED_MS,
          ...(account === null ? [] : [account]),
        ),
      );
    },

    *bringForwardOne(id, running, unless) {
      const brought = yield* runWrite(
        statement(
          `UPDATE gateway_submissions SET next_query_at = $2
            WHERE id = $1 AND state = 'outcome_unknown' AND next_query_at > $2
              AND (queried_at IS NULL OR queried_at <= $3)`,
          uuidToBytes(id),
          running,
          unless,
        ),
      );
      return brought > 0;
    },

    *reopen(id, { at, running }) {
      const reopened = yield* runWrite(
        statement(
          `UPDATE gateway_submissions SET state = 'outcome_unknown', fence = fence + 1,
            updated_at = $2, next_query_at = $3
            WHERE id = $1 AND state = 'needs_review' AND search_digest IS NOT NULL`,
          uuidToBytes(id),
          at,
          running,
        ),
      );
      return reopened > 0;
    },

    *planNextQuery({ fence, id }, { at, running }, nextQueryAt, absentRunning = null) {
      yield statement(
        `UPDATE gateway_submissions SET state = $3, fence = fence + 1, queries = queries + 1,
          updated_at = $4, queried_at = $6, next_query_at = $5, absent_running = $7
          WHERE id = $1 AND fence = $2 AND state = 'outcome_unknown'`,
        uuidToBytes(id),
        fence,
        nextQueryAt === null ? "needs_review" : "outcome_unknown",
        at,
        nextQueryAt,
        running,
        absentRunning,
      );
    },

    *endRecheck({ fence, id }) {
      yield statement(
        `UPDATE gateway_submissions SET match_fields = NULL, next_query_at = NULL
          WHERE id = $1 AND fence = $2 AND state = 'failed'`,
        uuidToBytes(id),
        fence,
      );
    },

    *delay({ fence, id }, running, nextQueryAt) {
      yield statement(
        `UPDATE gateway_submissions SET queried_at = $3, next_query_at = $4
          WHERE id = $1 AND fence = $2 AND next_query_at IS NOT NULL`,
        uuidToBytes(id),
        fence,
        running,
        nextQueryAt,
      );
    },

    *similarSubmissions(submission, insurerIds) {
      const { account, id, matchDigest, provider, searchDigest, segment, series } = submission;
      const own = [matchDigest, uuidToBytes(id), segment, account] as const;
      const [similar] = yield statement(
        `SELECT COUNT(*) AS count, COUNT(CASE WHEN state = 'in_flight' THEN 1 END) AS in_flight,
            COUNT(CASE WHEN number < (SELECT number FROM gateway_submissions WHERE id = $2) THEN 1 END)
              AS older
          FROM gateway_submissions
          WHERE match_digest = $1 AND ${IS_OPEN} AND id <> $2 AND segment = $3 AND account = $4
            AND search_digest = $5`,
        ...own,
        searchDigest,
      );
      const [unnamed] = yield statement(
        `SELECT COUNT(*) AS count FROM gateway_submissions
          WHERE match_digest = $1 AND ${UNNAMED_SUCCESS} AND id <> $2 AND segment = $3 AND account = $4
            AND search_digest = $5`,
        ...own,
        searchDigest,
      );
      const isOther = "id <> $2 AND NOT (segment = $3 AND account = $4)";
      const rivals = yield statement(
        `SELECT received_at, CASE WHEN state = 'in_flight' THEN NULL ELSE unknown_at END AS until
            FROM gateway_submissions WHERE match_digest = $1 AND ${IS_OPEN} AND ${isOther}
          UNION ALL
          SELECT received_at, updated_at FROM gateway_submissions
            WHERE match_digest = $1 AND ${UNNAMED_SUCCESS} AND ${isOther}`,
        ...own,
      );
      const known =
        insurerIds.length === 0
          ? []
          : yield statement(
              `SELECT insurer_id, segment, account, match_digest, received_at, updated_at AS until
                FROM gateway_submissions
                WHERE provider = $1 AND id <> $2 AND series = $3 AND creates = 1
                  AND insurer_id IN (${placeholdersFor(insurerIds, 4)})`,
              provider,
              uuidToBytes(id),
              series,
              ...insurerIds,
            );
      return {
        similarOpen: Number(similar?.count),
        similarInFlight: Number(similar?.in_flight),
        similarOlder: Number(similar?.older),
        similarUnnamed: Number(unnamed?.count),
        rivals: rivals.map(creationTimesFromRow),
        known: known.map((row) => ({
          ...creationTimesFromRow(row),
          insurerId: String(row.insurer_id),
          segment: String(row.segment),
          account: String(row.account),
          hasSameMatchFields:
            matchDigest !== null &&
            row.match_digest !== null &&
            bytesFromColumn(row.match_digest).equals(matchDigest),
        })),
      };
    },
  };
}

/** SQL condition for a success whose answer had no identifier. A database index has the same condition. */
const UNNAMED_SUCCESS = "state = 'succeeded' AND insurer_id IS NULL AND creates = 1";

function creationTimesFromRow({ received_at, until }: Row): CreationTimes {
  return { from: Number(received_at), until: numberOrNull(until) };
}

/** Time after a submission's query in which `bringForward` does not make the next query due, in milliseconds. */
const JUST_QUERIED_MS = 1_000;

/** Time for which a process may reconcile a segment after each call of `lead`, in milliseconds. */
const LEAD_DURATION_MS = 5_000;

/** Repeats the last value until the number of values is a power of two, so that few statements are prepared. */
function repeatedToPowerOfTwo(values: readonly string[]): readonly string[] {
  const length = values.length === 0 ? 0 : 2 ** Math.ceil(Math.log2(values.length));
  return [
    ...values,
    ...values.slice(-1).flatMap((last) => Array(length - values.length).fill(last)),
  ];
}
