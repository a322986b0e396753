import { defaultAccount } from "../configuration/account.ts";
import { isRemoved } from "./account-rows.ts";
import type { ClaimRule, NewSubmission, SubmissionRecord } from "./record.ts";
import { submissionFromRow, uuidToBytes } from "./rows.ts";
import { atLeastCounted } from "./running-time.ts";
import { IS_OPEN, lock, lockNumberOf, placeholdersFor, runWrite, statement } from "./sql.ts";
import type { Dialect, SqlValue, Statement, Transaction } from "./statement.ts";
import type { Transactions } from "./store.ts";
import { HAS_ALL_SUBMISSIONS, readMark } from "./store-identity.ts";
import { countSubmissionsOn } from "./stored-usage.ts";

/**
 * Returns the transaction of a claim: one commit stores the submission in the state `in_flight`. The same transaction
 * reads earlier submissions, so that only one of several simultaneous equal requests is sent.
 */
export function claimTransaction(dialect: Dialect): Transactions["claim"] {
  return function* claim(submission, rule) {
    const { keyDigest } = submission;
    yield lock(...lockNumbersOf(submission));
    const isAccountRemoved = yield* hasRemovedAccount(dialect, submission);
    // Almost every submission is new. One statement checks that the submission is new, and stores the submission.
    if (rule.quota === null && !isAccountRemoved) {
      const inserted = yield* runWrite(insertIfNew(submission, rule));
      if (inserted > 0) return { claimed: true };
    }
    if (keyDigest !== null) {
      const known = yield* findByKey(keyDigest);
      if (known !== null) return { claimed: false, relation: "same_key", existing: known };
    }
    const earlier = rule.compared ? yield* findEqualSubmission(submission, rule) : null;
    if (earlier !== null) {
      // A request at another segment or account is refused, and the key of the request is not added to the submission.
      if (keyDigest === null || !isOfSameAccount(earlier, submission))
        return { claimed: false, relation: "same_content", existing: earlier };
      // A generated key and the first chosen key are added to the earlier submission.
      if (!submission.hasChosenKey || !earlier.hasChosenKey) {
        yield* addLaterKey(earlier, { ...submission, keyDigest });
        return { claimed: false, relation: "same_key", existing: earlier };
      }
      if (isOpen(earlier)) return { claimed: false, relation: "other_key", existing: earlier };
    }
    if (isAccountRemoved) return { claimed: false, relation: "no_account", existing: null };
    if ((yield* readMark()) !== "usual")
      return { claimed: false, relation: "not_restored", existing: null };
    const { quota } = rule;
    if (quota !== null) {
      // Every transaction locks the account's day last. An earlier submission is reported even if the quota is used up.
      const used = yield* countSubmissionsOn(submission);
      if (used >= quota)
        return { claimed: false, relation: "over_quota", existing: null, quota, used };
    }
    yield insertStatement(submission);
    return { claimed: true };
  };
}

/** Reports whether the submission's account was removed. */
function* hasRemovedAccount(dialect: Dialect, { account }: NewSubmission): Transaction<boolean> {
  return account !== defaultAccount && (yield* isRemoved(dialect, account));
}

/** Returns the submission of a key, which is the submission's first or a later key; null if there is none. */
export function* findByKey(keyDigest: Uint8Array): Transaction<SubmissionRecord | null> {
  const [row] = yield statement(
    `SELECT * FROM gateway_submissions WHERE key_digest = $1
      OR id = (SELECT submission FROM gateway_keys WHERE key_digest = $1)`,
    keyDigest,
  );
  return row === undefined ? null : submissionFromRow(row);
}

/** Adds a key to an earlier submission. The store keeps the key as long as the submission. */
function* addLaterKey(
  { id, keyDigest: first }: SubmissionRecord,
  { hasChosenKey, keyDigest }: NewSubmission & { readonly keyDigest: Uint8Array },
): Transaction<void> {
  if (first === null || hasChosenKey)
    yield statement(
      `UPDATE gateway_submissions SET key_digest = COALESCE(key_digest, $2),
        has_chosen_key = CASE WHEN $3 = 1 THEN 1 ELSE has_chosen_key END WHERE id = $1`,
      uuidToBytes(id),
      keyDigest,
      hasChosenKey ? 1 : 0,
    );
  if (first !== null)
    yield statement(
      // Another transaction may have withdrawn the submission that had this key.
      `INSERT INTO gateway_keys (key_digest, submission) VALUES ($1, $2)
        ON CONFLICT (key_digest) DO UPDATE SET submission = excluded.submission`,
      keyDigest,
      uuidToBytes(id),
    );
}

/** Deletes the later keys of submissions that are being deleted. */
export function* deleteLaterKeys(ids: readonly Uint8Array[]): Transaction<void> {
  if (ids.length > 0)
    yield statement(
      `DELETE FROM gateway_keys WHERE submission IN (${placeholdersFor(ids, 1)})`,
      ...ids,
    );
}

/** Returns the locks of a submission's key, content and id, sorted so that no two submissions wait for each other. */
function lockNumbersOf({ contentDigest, id, keyDigest }: NewSubmission): readonly bigint[] {
  return [contentDigest, uuidToBytes(id), keyDigest]
    .filter((digest) => digest !== null)
    .map(lockNumberOf)
    .toSorted((one, other) => (one < other ? -1 : 1));
}

/** Returns an earlier submission with the same content that is open, or that succeeded recently and is still valid. */
function* findEqualSubmission(
  { caller, contentDigest }: NewSubmission,
  { succeededSince }: ClaimRule,
): Transaction<SubmissionRecord | null> {
  const [row] = yield statement(
    // The query sorts open submissions first, then those without a chosen key, to which a chosen key can be added. A
    // reconciliation query or an operator may find a success long after the claim.
    `SELECT * FROM gateway_submissions WHERE caller = $1 AND content_digest = $2
      AND (${IS_OPEN} OR (state = 'succeeded' AND closed = 0 AND settled_running > $3))
      ORDER BY CASE WHEN ${IS_OPEN} THEN 0 WHEN has_chosen_key = 0 THEN 1 ELSE 2 END, number DESC
      LIMIT 1`,
    caller,
    contentDigest,
    succeededSince,
  );
  return row === undefined ? null : submissionFromRow(row);
}

/** Reports whether two submissions were sent through the same account at the same segment. */
export function isOfSameAccount(
  one: Pick<NewSubmission, "account" | "segment">,
  other: Pick<NewSubmission, "account" | "segment">,
): boolean {
  return one.segment === other.segment && one.account === other.account;
}

function isOpen({ state }: SubmissionRecord): boolean {
  return state !== "succeeded" && state !== "failed";
}

const INSERT_SUBMISSION = `INSERT INTO gateway_submissions (id, caller, key_digest, content_digest, provider, segment,
  endpoint, creates, state, fence, received_at, updated_at, lease_until, key_id, match_fields, match_digest,
  account, day, has_chosen_key, closed, queries, received_running, search_digest, series)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, 'in_flight', 1, $9, $9, $10, $11, $12, $13, $14, $15, $19, 0, 0,
    ${atLeastCounted("$16")}, $17, $18`;

function insertStatement(submission: NewSubmission): Statement {
  return statement(INSERT_SUBMISSION, ...columnValues(submission));
}

/**
 * Stores a submission unless an earlier submission has the same key or content. If there is one, the statement changes
 * nothing, and another statement must read the earlier submissions to decide whether one prevents the claim.
 */
function insertIfNew(submission: NewSubmission, rule: ClaimRule): Statement {
  const earlier = [
    ...(submission.keyDigest === null
      ? []
      : ["gateway_submissions WHERE key_digest = $3", "gateway_keys WHERE key_digest = $3"]),
    ...(rule.compared ? ["gateway_submissions WHERE caller = $2 AND content_digest = $4"] : []),
  ];
  const isNew = earlier.map((found) => `NOT EXISTS (SELECT 1 FROM ${found})`);
  const sql = `${INSERT_SUBMISSION} WHERE ${[HAS_ALL_SUBMISSIONS, ...isNew].join(" AND ")}`;
  return statement(sql, ...columnValues(submission));
}

function columnValues(submission: NewSubmission): readonly SqlValue[] {
  return [
    uuidToBytes(submission.id),
    submission.caller,
    submission.keyDigest,
    submission.contentDigest,
    submission.provider,
    submission.segment,
    submission.endpoint,
    submission.creates ? 1 : 0,
    submission.receivedAt,
    submission.leaseUntil,
    submission.matchFields === null ? null : submission.keyId,
    submission.matchFields,
    submission.matchDigest,
    submission.account,
    submission.day,
    submission.receivedRunning,
    submission.searchDigest,
    submission.series,
    submission.hasChosenKey ? 1 : 0,
  ];
}
