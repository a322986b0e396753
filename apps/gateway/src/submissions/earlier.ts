import type { Endpoint } from "@insurance-gateway/core/contract";
import { Refusal } from "../problems/refusal.ts";
import type { SubmissionRecord } from "../store/record.ts";
import type { UpstreamAnswer } from "../upstream/answer.ts";
import { outcomeUnknown } from "../upstream/outcome.ts";
import type { Sealer } from "./sealing.ts";
import { carriedOutUnseen, notTaken } from "./settlements.ts";
import { openAnswer, replayed } from "./stored-answer.ts";

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

/** How long to wait before asking again about a submission that is running, in seconds. */
const RUNNING_RETRY_AFTER = "2";

/**
 * Answers a submission that is there already: nothing is sent. Throws a Refusal unless the earlier one is settled and
 * its answer is kept.
 */
export function answerEarlier(
  earlier: SubmissionRecord,
  repeated: Repeated,
  sealer: Sealer,
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
      throw earlier.leaseUntil > now
        ? running(endpoint, href)
        : unknown(endpoint, earlier, repeated);
    case "outcome_unknown":
    case "needs_review":
      throw unknown(endpoint, earlier, repeated);
    default:
      return replay(earlier, href, sealer);
  }
}

function replay(earlier: SubmissionRecord, href: string, sealer: Sealer): UpstreamAnswer {
  const { answer, id, keyId, reference, state } = earlier;
  if (answer !== null && keyId !== null) return replayed(openAnswer(sealer, id, answer, keyId));
  const proof = "this Idempotency-Key was answered before, longer ago than answers are kept";
  throw state === "succeeded" ? carriedOutUnseen(proof, { href, reference }) : notTaken(proof);
}

function duplicate({ lookup }: Endpoint, href: string): Refusal {
  return new Refusal("DUPLICATE_APPLICATION", {
    detail:
      "The same application of yours is still running, or its outcome is not known yet; nothing was sent. Ask at the address in `lookup` what became of it before you send it again.",
    outcome: "not_sent",
    retry: "after_lookup",
    lookup: { href, ...(lookup === undefined ? {} : declared(lookup)) },
    headers: { "retry-after": RUNNING_RETRY_AFTER, location: href },
  });
}

function running({ lookup }: Endpoint, href: string): Refusal {
  return new Refusal("SUBMISSION_IN_PROGRESS", {
    detail:
      "The submission with this Idempotency-Key is still running; nothing was sent a second time. Send it again after Retry-After to get its answer.",
    lookup: { href, ...(lookup === undefined ? {} : declared(lookup)) },
    headers: { "retry-after": RUNNING_RETRY_AFTER },
  });
}

function unknown(endpoint: Endpoint, { nextLookupAt }: SubmissionRecord, at: Repeated): Refusal {
  return withAddress(outcomeUnknown(endpoint), at.href, retryAfter(nextLookupAt, at.now));
}

/** The lookup as problems name it: without what is the gateway's own use of it. */
function declared({ endpoint, parameters }: NonNullable<Endpoint["lookup"]>): {
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, { readonly from: string }>>;
} {
  return { endpoint, parameters };
}

/** The same refusal, with the submission's address and when to ask again. */
export function withAddress(
  refusal: Refusal,
  href: string,
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  const { details } = refusal;
  return new Refusal(
    refusal.code,
    {
      ...details,
      lookup: { href, ...details.lookup },
      headers: { ...details.headers, ...headers },
    },
    refusal.cause,
  );
}

/** When it is worth asking again: a little after the gateway's own next lookup. Nothing where none is planned. */
export function retryAfter(
  nextLookupAt: number | null,
  now: number,
): Readonly<Record<string, string>> {
  if (nextLookupAt === null) return {};
  return { "retry-after": String(Math.max(1, Math.ceil((nextLookupAt - now) / 1_000)) + 1) };
}
