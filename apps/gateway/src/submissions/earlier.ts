import type { Endpoint } from "@insurance-gateway/core/contract";
import { Refusal } from "../problems/refusal.ts";
import type { SubmissionRecord } from "../store/record.ts";
import type { UpstreamAnswer } from "../upstream/answer.ts";
import { outcomeUnknown, reconciliationOf } from "../upstream/outcome.ts";
import type { Encryption } from "./encryption.ts";
import { carriedOutUnseen, notTaken } from "./settlements.ts";
import { decryptAnswer, replayed } from "./stored-answer.ts";
import { afterQuery, SOON, unknownForNow, withAddress } from "./unknown.ts";

/** What the answer to a repeated submission depends on. */
export interface Repeated {
  readonly endpoint: Endpoint;
  /** Whether the caller sent a key. */
  readonly keyed: boolean;
  readonly fingerprint: Uint8Array;
  readonly now: number;
  /** The address of the earlier submission. */
  readonly href: string;
}

/**
 * Answers a submission that is there already: nothing is sent. Throws a Refusal unless the earlier one is settled and
 * its answer is kept.
 */
export function answerEarlier(
  earlier: SubmissionRecord,
  repeated: Repeated,
  encryption: Encryption,
): UpstreamAnswer {
  const { endpoint, fingerprint, href, keyed, now } = repeated;
  if (!keyed) throw duplicate(endpoint, href);
  if (!Buffer.from(earlier.fingerprint).equals(fingerprint))
    throw new Refusal("IDEMPOTENCY_KEY_REUSED", {
      detail:
        "This Idempotency-Key was sent before, with another body. Nothing was sent: use a new key for a new submission.",
    });
  switch (earlier.state) {
    case "in_flight":
      // Past its lease nobody is at it any more, whether or not that has been written yet.
      throw earlier.leaseUntil > now ? running(endpoint, href) : unknownForNow(endpoint, href);
    case "outcome_unknown":
    case "needs_review":
      throw withAddress(
        outcomeUnknown(endpoint),
        href,
        afterQuery(endpoint, earlier.nextQueryAt, now),
      );
    default:
      return replay(earlier, href, encryption);
  }
}

/** The kept answer again; where it is kept no more, or cannot be opened, what is still known of it. */
export function replay(
  { answer, id, keyId, insurerId, state }: SubmissionRecord,
  href: string,
  encryption: Encryption,
): UpstreamAnswer {
  if (answer !== null && keyId !== null && encryption.knows(keyId))
    return replayed(decryptAnswer(encryption, id, answer, keyId));
  const proof =
    answer === null
      ? "it was answered before, longer ago than answers are kept"
      : "it was answered before, and the key that encrypted the answer is not configured here";
  throw state === "succeeded" ? carriedOutUnseen(proof, { href, insurerId }) : notTaken(proof);
}

function duplicate({ reconcile }: Endpoint, href: string): Refusal {
  return new Refusal("DUPLICATE_APPLICATION", {
    detail:
      "The same application of yours is still running, or its outcome is not known yet; nothing was sent. Ask at the address in `reconciliation` what became of it before you send it again.",
    outcome: "not_sent",
    retry: "after_check",
    reconciliation: { href, ...reconciliationOf(reconcile) },
    headers: { ...SOON, location: href },
  });
}

function running({ reconcile }: Endpoint, href: string): Refusal {
  return new Refusal("SUBMISSION_IN_PROGRESS", {
    detail:
      "The submission with this Idempotency-Key is still running; nothing was sent a second time. Send it again after Retry-After to get its answer.",
    reconciliation: { href, ...reconciliationOf(reconcile) },
    headers: SOON,
  });
}
