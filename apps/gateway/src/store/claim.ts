import type { NewSubmission } from "./record.ts";
import { asRecord, bytesOf } from "./rows.ts";
import { numberOf, OPEN, statement } from "./sql.ts";
import type { Dialect, Statement, Transaction } from "./statement.ts";
import type { Claimed } from "./store.ts";

/** One commit: the claim, and that it is in flight. What stands in its way is read in the same transaction. */
export function* claim(dialect: Dialect, submission: NewSubmission): Transaction<Claimed> {
  // Two of the same content must not pass each other, one with a key and one without; nor a claim its own withdrawal.
  if (dialect.lock !== null)
    yield dialect.lock(numberOf(submission.fingerprint), numberOf(bytesOf(submission.id)));
  for (;;) {
    if (submission.claim === null) {
      const [twin] = yield statement(
        `SELECT * FROM gateway_submissions WHERE fingerprint = $1 AND ${OPEN} LIMIT 1`,
        submission.fingerprint,
      );
      if (twin !== undefined) return { claimed: false, existing: asRecord(twin) };
    }
    const inserted = yield insert(submission);
    if (inserted.length > 0) return { claimed: true };
    const [existing] = yield statement(
      "SELECT * FROM gateway_submissions WHERE claim = $1",
      submission.claim,
    );
    // Withdrawn between the two statements: the key is free again.
    if (existing !== undefined) return { claimed: false, existing: asRecord(existing) };
  }
}

function insert(submission: NewSubmission): Statement {
  return statement(
    `INSERT INTO gateway_submissions (id, caller, claim, fingerprint, provider, segment, endpoint,
      state, fence, received_at, updated_at, lease_until, key_id, match_fields, match_digest, queries)
      VALUES ($1, $2, $3, $4, $5, $6, $7, 'in_flight', 1, $8, $8, $9, $10, $11, $12, 0)
      ON CONFLICT (claim) DO NOTHING RETURNING number`,
    bytesOf(submission.id),
    submission.caller,
    submission.claim,
    submission.fingerprint,
    submission.provider,
    submission.segment,
    submission.endpoint,
    submission.receivedAt,
    submission.leaseUntil,
    submission.matchFields === null ? null : submission.keyId,
    submission.matchFields,
    submission.matchDigest,
  );
}
