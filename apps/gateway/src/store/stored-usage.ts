import { digestOf, lock, lockNumberOf, placeholdersFor, statement } from "./sql.ts";
import type { Row, SqlValue, Statement, Transaction, TransactionsOf } from "./statement.ts";

// Usage is counted by day. Stored submissions are counted from their own database rows, so that no sum can differ from
// the rows. The table `gateway_usage` counts everything without a row: calls, submissions that were not sent, and
// deleted submissions.

/** A calendar day of an account at a provider's segment. */
export interface AccountDay {
  /** Calendar day: `2026-11-22`. */
  readonly day: string;
  readonly account: string;
  /** Path segment of the provider. */
  readonly segment: string;
}

/** Calls of an endpoint on a day that a process has counted but not yet written to the store. */
export interface CountedCalls extends AccountDay {
  /** Name of the endpoint. */
  readonly endpoint: string;
  /** Kind of the endpoint. */
  readonly kind: string;
  readonly calls: number;
  /** Number of the counted calls that the gateway answered with a problem. */
  readonly failedCalls: number;
}

/** Requests to an insurer on a day that a process has counted but not yet written to the store. */
export interface CountedAttempts {
  readonly day: string;
  /** Path segment of the provider. */
  readonly segment: string;
  /** Number of requests that the insurer answered, or that failed because of the insurer. */
  readonly attempts: number;
  /** Number of the counted requests that failed because of the insurer. */
  readonly failures: number;
  /** Number of calls that the gateway did not send, because the insurer had failed repeatedly. */
  readonly heldBack: number;
}

/** Everything that a process has counted since its last write to the store. */
export interface UsageCounts {
  readonly calls: readonly CountedCalls[];
  readonly attempts: readonly CountedAttempts[];
}

/** The usage of one endpoint by one account on one day. */
export interface UsageRow extends CountedCalls {
  /** Number of submissions that the insurer executed. */
  readonly succeeded: number;
  /** Number of submissions that the insurer refused, or that the insurer provably does not have. */
  readonly failed: number;
  /** Number of submissions of unknown outcome, including those that need review. */
  readonly unknown: number;
  readonly inFlight: number;
  /** Number of claims that were withdrawn because nothing was sent. These claims do not count as submissions. */
  readonly notSent: number;
}

/** The store's methods for usage, quotas and availability. */
export interface UsageMethods {
  /**
   * Adds the counts of a process. Then returns the number of calls for each account and day in `asked`, in the same
   * order, as counted by all processes together.
   */
  addCounts(counts: UsageCounts, asked: readonly AccountDay[]): Promise<readonly number[]>;
  /** Returns the usage on a day, of one account or of all accounts, by account, segment and endpoint. */
  usageOn(day: string, account: string | null): Promise<readonly UsageRow[]>;
  /** Returns the counted requests of every segment for each day from `day` on. */
  attemptsSince(day: string): Promise<readonly CountedAttempts[]>;
  /** Deletes the usage of days before `usageBefore`, and the availability of days before `availabilityBefore`. */
  forgetCounts(usageBefore: string, availabilityBefore: string): Promise<void>;
}

/** Columns of `gateway_usage` that are sums. */
type SumColumn = "calls" | "failed_calls" | "succeeded" | "failed" | "not_sent";

const SUM_COLUMNS: readonly SumColumn[] = [
  "calls",
  "failed_calls",
  "succeeded",
  "failed",
  "not_sent",
];

/** Numbers to add to one row of `gateway_usage`. */
interface UsageAddition extends AccountDay {
  readonly endpoint: string;
  readonly kind: string;
  readonly sums: Partial<Readonly<Record<SumColumn, number>>>;
}

/** Adds to rows of `gateway_usage`, always in the same order, so that no two transactions wait for each other. */
function* addUsage(additions: readonly UsageAddition[]): Transaction<void> {
  const keyOf = ({ account, day, endpoint, segment }: UsageAddition): string =>
    JSON.stringify([day, account, segment, endpoint]);
  const rows = sorted(additions, keyOf).map((one): readonly SqlValue[] => [
    one.day,
    one.account,
    one.segment,
    one.endpoint,
    one.kind,
    ...SUM_COLUMNS.map((sum) => one.sums[sum] ?? 0),
  ]);
  const sums = SUM_COLUMNS.map((sum) => `${sum} = gateway_usage.${sum} + excluded.${sum}`);
  yield* insertAll(
    `INSERT INTO gateway_usage (day, account, segment, endpoint, kind, ${SUM_COLUMNS.join(", ")})`,
    rows,
    `ON CONFLICT (day, account, segment, endpoint) DO UPDATE SET ${sums.join(", ")}`,
  );
}

function* addAttempts(counted: readonly CountedAttempts[]): Transaction<void> {
  const rows = sorted(counted, ({ day, segment }) => JSON.stringify([day, segment])).map(
    (one): readonly SqlValue[] => [one.day, one.segment, one.attempts, one.failures, one.heldBack],
  );
  yield* insertAll(
    "INSERT INTO gateway_availability (day, segment, attempts, failures, held_back)",
    rows,
    `ON CONFLICT (day, segment) DO UPDATE SET
      attempts = gateway_availability.attempts + excluded.attempts,
      failures = gateway_availability.failures + excluded.failures,
      held_back = gateway_availability.held_back + excluded.held_back`,
  );
}

function sorted<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return items.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

/** Possible numbers of rows in one statement. A few large numbers need few prepared and few sent statements. */
const ROWS_PER_STATEMENT: readonly number[] = [64, 8, 1];

function* insertAll(
  insert: string,
  rows: readonly (readonly SqlValue[])[],
  onConflict: string,
): Transaction<void> {
  let next = 0;
  for (const size of ROWS_PER_STATEMENT)
    for (; next + size <= rows.length; next += size) {
      const some = rows.slice(next, next + size);
      const places = some.map((row, index) => `(${placeholdersFor(row, 1 + index * row.length)})`);
      yield statement(`${insert} VALUES ${places.join(", ")} ${onConflict}`, ...some.flat());
    }
}

/** Columns of `gateway_submissions` from which usage is computed. */
export const USAGE_COLUMNS = "day, account, segment, endpoint, state";

/** Adds submissions that are being deleted to the sums of their days. `sumOf` returns the column for a row. */
export function* addDeleted(
  rows: readonly Row[],
  sumOf: (row: Row) => "succeeded" | "failed" | "not_sent",
): Transaction<void> {
  const byEndpoint = Map.groupBy(rows, ({ account, day, endpoint, segment }) =>
    JSON.stringify([day, account, segment, endpoint]),
  );
  yield* addUsage(
    [...byEndpoint.values()].flatMap((some) => {
      const [one] = some;
      if (one === undefined) return [];
      const sums = { succeeded: 0, failed: 0, not_sent: 0 };
      for (const row of some) sums[sumOf(row)] += 1;
      return {
        day: String(one.day),
        account: String(one.account),
        segment: String(one.segment),
        endpoint: String(one.endpoint),
        kind: "submission",
        sums,
      };
    }),
  );
}

/**
 * Returns the number of an account's submissions on a day. Other transactions that count the same day wait until this
 * transaction ends, so that each transaction sees all earlier claims.
 */
export function* countSubmissionsOn({ account, day, segment }: AccountDay): Transaction<number> {
  yield lock(lockNumberOf(digestOf("submissions of a day", day, account, segment)));
  const [row] = yield statement(
    `SELECT
      (SELECT COUNT(*) FROM gateway_submissions
        WHERE day = $1 AND account = $2 AND segment = $3) +
      (SELECT COALESCE(SUM(succeeded + failed), 0) FROM gateway_usage
        WHERE day = $1 AND account = $2 AND segment = $3) AS count`,
    day,
    account,
    segment,
  );
  return Number(row?.count);
}

/** The transactions for usage, quotas and availability. */
export const usageTransactions: TransactionsOf<UsageMethods> = {
  *addCounts(counts: UsageCounts, asked: readonly AccountDay[]): Transaction<readonly number[]> {
    // If two processes add counts of an account at the same time, each sum must contain both additions.
    if (asked.length > 0) yield lock(...lockNumbersOfDays(asked));
    yield* addUsage(
      counts.calls.map(({ calls, failedCalls, ...one }) => ({
        ...one,
        sums: { calls, failed_calls: failedCalls },
      })),
    );
    yield* addAttempts(counts.attempts);
    const totals: number[] = [];
    for (const one of asked) {
      const [row] = yield countCallsStatement(one);
      totals.push(Number(row?.calls));
    }
    return totals;
  },

  *usageOn(day: string, account: string | null): Transaction<readonly UsageRow[]> {
    const rows = yield usageStatement(day, account);
    return rows.map((row) => ({
      day,
      account: String(row.account),
      segment: String(row.segment),
      endpoint: String(row.endpoint),
      kind: String(row.kind),
      calls: Number(row.calls),
      failedCalls: Number(row.failed_calls),
      succeeded: Number(row.succeeded),
      failed: Number(row.failed),
      unknown: Number(row.unknown),
      inFlight: Number(row.in_flight),
      notSent: Number(row.not_sent),
    }));
  },

  *attemptsSince(day: string): Transaction<readonly CountedAttempts[]> {
    const rows = yield statement(
      "SELECT * FROM gateway_availability WHERE day >= $1 ORDER BY day, segment",
      day,
    );
    return rows.map((row) => ({
      day: String(row.day),
      segment: String(row.segment),
      attempts: Number(row.attempts),
      failures: Number(row.failures),
      heldBack: Number(row.held_back),
    }));
  },

  *forgetCounts(usageBefore: string, availabilityBefore: string): Transaction<void> {
    yield statement("DELETE FROM gateway_usage WHERE day < $1", usageBefore);
    yield statement("DELETE FROM gateway_availability WHERE day < $1", availabilityBefore);
  },
};

/** Returns the numbers to lock for accounts' days, sorted, so that no two transactions wait for each other. */
function lockNumbersOfDays(asked: readonly AccountDay[]): readonly bigint[] {
  return asked
    .map(({ account, day, segment }) =>
      lockNumberOf(digestOf("calls of a day", day, account, segment)),
    )
    .toSorted((one, other) => (one < other ? -1 : 1));
}

function countCallsStatement({ account, day, segment }: AccountDay): Statement {
  return statement(
    `SELECT COALESCE(SUM(calls), 0) AS calls FROM gateway_usage
      WHERE day = $1 AND account = $2 AND segment = $3`,
    day,
    account,
    segment,
  );
}

/** Returns one statement for both tables of usage, so that a submission that is being deleted counts only once. */
function usageStatement(day: string, account: string | null): Statement {
  const ofOne = account === null ? "" : "AND account = $2";
  const when = (condition: string): string => `CASE WHEN ${condition} THEN 1 ELSE 0 END`;
  return statement(
    `SELECT account, segment, endpoint, MAX(kind) AS kind, SUM(calls) AS calls,
      SUM(failed_calls) AS failed_calls, SUM(succeeded) AS succeeded, SUM(failed) AS failed,
      SUM(unknown) AS unknown, SUM(in_flight) AS in_flight, SUM(not_sent) AS not_sent
      FROM (
        SELECT account, segment, endpoint, kind, calls, failed_calls, succeeded, failed,
          0 AS unknown, 0 AS in_flight, not_sent
          FROM gateway_usage WHERE day = $1 ${ofOne}
        UNION ALL
        SELECT account, segment, endpoint, 'submission', 0, 0,
          ${when("state = 'succeeded'")}, ${when("state = 'failed'")},
          ${when("state IN ('outcome_unknown', 'needs_review')")}, ${when("state = 'in_flight'")}, 0
          FROM gateway_submissions WHERE day = $1 ${ofOne}
      ) AS counted
      GROUP BY account, segment, endpoint ORDER BY account, segment, endpoint`,
    day,
    ...(account === null ? [] : [account]),
  );
}
