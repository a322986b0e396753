import type { Endpoint } from "../contract/endpoint.ts";
import { sameContentOf } from "../contract/match.ts";
import type { Outcome, RetryAdvice } from "../errors/problem.ts";
import type { ProblemCode } from "../problems/problem-code.ts";
import { reconciliationOf } from "./outcome-unknown.ts";
import { Refusal } from "./refusal.ts";
import { bodyIn, proxyStatusOf, type StoredAnswer } from "./stored-answer.ts";

// The only place that says what a submission's state means to somebody who asks.

/**
 * The state of a submission. It is claimed and `in_flight` in one commit, before its first byte is sent, so there is no
 * state "received". `failed` is written only with proof that the insurer did not accept it.
 */
export type SubmissionState =
  | "in_flight"
  | "succeeded"
  | "failed"
  | "outcome_unknown"
  | "needs_review";

/** The state of a submission now. */
export interface Standing {
  readonly state: SubmissionState;
  /** The running time when the next query is due; null when none is. */
  readonly nextQueryAt: number | null;
}

/** A submission as it is stored, as far as its state is answered from it. */
export interface StoredSubmission extends Standing {
  readonly id: string;
  /** The provider's id. */
  readonly provider: string;
  /** The endpoint's name: `createApplication`. */
  readonly endpoint: string;
  /** The insurer's own identifier, when it is known. */
  readonly insurerId: string | null;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** Until this running time its process is believed to be sending it. */
  readonly leaseUntil: number;
}

/** How long to wait before asking again for a submission that is running or cannot be written, in seconds. */
export const SOON_SECONDS = 2;

/**
 * The state that counts. A submission whose lease is over has no process any more, so its outcome is unknown, whether or
 * not that has been written yet.
 * @param running - the running time now, in milliseconds
 */
export function standingOf(
  record: Pick<StoredSubmission, "leaseUntil" | "nextQueryAt" | "state">,
  running: number,
): Standing {
  const { leaseUntil, nextQueryAt, state } = record;
  return state === "in_flight" && leaseUntil <= running
    ? { state: "outcome_unknown", nextQueryAt: running }
    : { state, nextQueryAt };
}

/** Who asks: the sender of the submission's key, of the same content without a key, or of that with another key. */
export type Asker = "same_key" | "same_content" | "other_key";

/** What somebody is answered while a submission has no end. */
interface OpenAnswer {
  readonly code: ProblemCode;
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
  readonly detail: string;
  /** When to ask again: in a moment, after the next query, or nothing is said. */
  readonly retryAfter: "soon" | "next_query" | null;
}

const ASK = "Ask for its state at the address in `reconciliation.href`";

const otherKey = (state: string): OpenAnswer => ({
  code: "DUPLICATE_APPLICATION",
  outcome: "not_sent",
  retry: "after_check",
  detail: `You sent the same application with another Idempotency-Key, and ${state}. This request was not sent. ${ASK} before you decide.`,
  retryAfter: null,
});

const unknownTo = (advice: string, retry: RetryAdvice): OpenAnswer => ({
  code: "OUTCOME_UNKNOWN",
  outcome: "unknown",
  retry,
  detail: `The insurer may have received the request, and no usable answer came back. ${advice}`,
  retryAfter: retry === "same_key" ? "next_query" : null,
});

const REPEAT = "or send it again with the same Idempotency-Key, which never takes effect twice.";
const MANUAL = "The gateway could not find out whether the insurer acted; the operator has to ask.";

/** The state of a submission that has no end yet. */
type OpenState = Exclude<SubmissionState, "succeeded" | "failed">;

/** What is answered while a submission is open, by its state and who asks. */
const openAnswers: Readonly<Record<OpenState, Readonly<Record<Asker, OpenAnswer>>>> = {
  in_flight: {
    same_key: {
      code: "SUBMISSION_IN_PROGRESS",
      outcome: "unknown",
      retry: "same_key",
      detail:
        "The submission with this Idempotency-Key is still running. Nothing was sent a second time. Send it again after Retry-After to get its answer.",
      retryAfter: "soon",
    },
    same_content: {
      code: "SUBMISSION_IN_PROGRESS",
      outcome: "unknown",
      retry: "after_check",
      detail: `You sent the same application before, and it is still running. Nothing was sent a second time. ${ASK}.`,
      retryAfter: null,
    },
    other_key: otherKey("it is still running"),
  },
  outcome_unknown: {
    same_key: unknownTo(`${ASK}, ${REPEAT}`, "same_key"),
    same_content: unknownTo(`${ASK}.`, "after_check"),
    other_key: otherKey("its outcome is not known yet"),
  },
  needs_review: {
    same_key: { ...unknownTo(`${MANUAL} ${ASK}, ${REPEAT}`, "same_key"), retryAfter: null },
    same_content: unknownTo(`${MANUAL} ${ASK}.`, "after_check"),
    other_key: otherKey("the operator has to find out whether the insurer acted"),
  },
};

/** What an answer is made of, beside the state. */
export interface AnswerFacts {
  readonly endpoint: Endpoint;
  /** The submission's address at the gateway. */
  readonly href: string;
  /** The running time now, in milliseconds. */
  readonly running: number;
}

/**
 * The refusal of somebody who asks for an open submission.
 * @param observed - what the attempt that left it open showed: headers and cause are passed on
 */
export function openRefusal(
  { nextQueryAt, state }: Standing & { readonly state: OpenState },
  asker: Asker,
  { endpoint, href, running }: AnswerFacts,
  observed?: Refusal,
): Refusal {
  const { code, detail, outcome, retry, retryAfter } = openAnswers[state][asker];
  const wait = { soon: SOON_SECONDS, next_query: secondsUntil(nextQueryAt, running) };
  const seconds =
    retryAfter === null || (endpoint.reconcile === undefined && retryAfter === "next_query")
      ? null
      : wait[retryAfter];
  return new Refusal(
    code,
    {
      ...observed?.details,
      detail: asker === "same_content" ? `${detail} ${repetition(endpoint)}` : detail,
      outcome,
      retry,
      reconciliation: { href, ...reconciliationOf(endpoint.reconcile) },
      headers: {
        ...proxyStatusOf(observed),
        ...(asker === "same_key" ? {} : { location: href }),
        ...(seconds === null ? {} : { "retry-after": String(seconds) }),
      },
    },
    observed?.cause,
  );
}

/** What becomes of an equal request without a key while the submission is open. */
function repetition(endpoint: Endpoint): string {
  return sameContentOf(endpoint) === "none"
    ? "An equal request is another submission, and is sent."
    : "An equal request is not sent again.";
}

/** The refusal of the caller of a running submission who does not want to wait for it any longer. */
export function stillRunning(asker: Asker, facts: AnswerFacts): Refusal {
  const { details } = openRefusal(
    { state: "outcome_unknown", nextQueryAt: facts.running + SOON_SECONDS * 1_000 },
    asker,
    facts,
  );
  return new Refusal("OUTCOME_UNKNOWN", {
    ...details,
    detail: `The insurer has not answered within the time of \`Prefer: wait\`. The submission goes on. ${ASK}${asker === "same_key" ? `, ${REPEAT}` : "."}`,
    headers: {
      ...details.headers,
      ...(asker === "same_key" ? { "retry-after": String(SOON_SECONDS) } : {}),
      "preference-applied": "wait",
    },
  });
}

/** The refusal of somebody who asks for a key while the request with it is being stored. */
export function notClaimedYet(): Refusal {
  return new Refusal("SUBMISSION_IN_PROGRESS", {
    detail: "A request with this Idempotency-Key is just arriving. Ask again after Retry-After.",
    outcome: "unknown",
    retry: "same_key",
    headers: { "retry-after": String(SOON_SECONDS) },
  });
}

/** A little after the gateway's own next query; null where none is planned. */
function secondsUntil(nextQueryAt: number | null, running: number): number | null {
  return nextQueryAt === null ? null : Math.max(1, Math.ceil((nextQueryAt - running) / 1_000)) + 1;
}

/** An idempotency key that belongs to another request. */
export function keyReused(): Refusal {
  return new Refusal("IDEMPOTENCY_KEY_REUSED", {
    detail:
      "This Idempotency-Key was sent before, with another body. This request was not sent: use a new key for a new submission.",
  });
}

/**
 * A submission that was sent to another segment of the provider, or with another account.
 * @param outcome - `not_sent` for a key of its own, `unknown` where the earlier submission is this one
 */
export function otherAccount(outcome: "not_sent" | "unknown"): Refusal {
  return new Refusal("IDEMPOTENCY_KEY_REUSED", {
    detail:
      "You sent this submission before, to another segment of the provider or through another account. This request was not sent: ask there what became of the earlier one.",
    outcome,
  });
}

/** The final answer of a submission that the insurer provably did not accept. */
export function notTaken(proof: string): Refusal {
  return new Refusal("PROVIDER_REJECTED", {
    detail: `The insurer did not take it: ${proof}. It may be submitted again; if it had an Idempotency-Key, with a new one.`,
  });
}

/** The final answer of a submission that was carried out and whose answer was lost. */
export function carriedOutUnseen(
  proof: string,
  { href, insurerId }: { readonly href: string; readonly insurerId: string | null },
): Refusal {
  return new Refusal("PROVIDER_BAD_RESPONSE", {
    detail: `The insurer acted: ${proof}. Its answer was lost; do not send it again.`,
    outcome: "executed",
    retry: "never",
    reconciliation: { href },
    ...(insurerId === null ? {} : { insurerId }),
  });
}

/** The ending of a submission that the insurer answered with what an earlier equal submission created. */
export function alreadyCreated(earlierHref: string | null): Refusal {
  return new Refusal("DUPLICATE_APPLICATION", {
    detail:
      "The insurer answered with an application that an earlier, equal submission created. It created nothing new.",
    ...(earlierHref === null
      ? {}
      : { reconciliation: { href: earlierHref }, headers: { location: earlierHref } }),
  });
}

/** The refusal of a submission that a restored store does not know: the lost part of the store may have had it. */
export function notInRestoredStore(): Refusal {
  return new Refusal("STORE_UNAVAILABLE", {
    detail:
      "The gateway's store was restored from a backup or has lost files, and this submission is not in it. It was not sent now. Whether it was sent before is not known until the operator has compared the store with the insurers.",
    outcome: "unknown",
    retry: "after_check",
  });
}

/**
 * A refusal of the gateway's own for a request with a key, whose record cannot be read: an earlier request with the key
 * may have been sent.
 * @param key - the words for a key that only may be there
 */
export function keyStateUnknown(refusal: Refusal, key = "this Idempotency-Key"): Refusal {
  const { outcome, retry } = refusal.facts;
  if (outcome !== "not_sent") return refusal;
  return new Refusal(
    refusal.code,
    {
      ...refusal.details,
      detail: `${refusal.details.detail} This request was not sent. The gateway does not know whether an earlier request with ${key} was sent.`,
      outcome: "unknown",
      retry: retry === "safe" ? "same_key" : "never",
    },
    refusal.cause,
  );
}

/**
 * A refusal of a request without a key that the gateway did not compare with earlier submissions: its outcome speaks of this
 * request only.
 */
export function contentNotCompared(refusal: Refusal): Refusal {
  const { code, details } = refusal;
  const detail = `${details.detail} This says nothing about earlier requests with the same content.`;
  return new Refusal(code, { ...details, detail }, refusal.cause);
}

/**
 * A refusal of a valid submission without a key, whose content could not be looked up in the store: an earlier request with
 * the same content may have been sent.
 */
export function contentStateUnknown(refusal: Refusal, endpoint: Endpoint): Refusal {
  // An equal request would be another submission.
  if (sameContentOf(endpoint) === "none") return contentNotCompared(refusal);
  const { cause, code, details } = refusal;
  const { headers: _, ...rest } = details;
  const search = reconciliationOf(endpoint.reconcile);
  return new Refusal(
    code,
    {
      ...rest,
      detail: `${details.detail} This request was not sent. The gateway does not know whether an earlier request with the same content was sent: find that out at the insurer before you send it again.`,
      outcome: "unknown",
      retry: "after_check",
      ...(search && { reconciliation: search }),
    },
    cause,
  );
}

/** The answer of `GET /submissions/{submissionId}`. */
export interface StatusAnswer {
  readonly submissionId: string;
  readonly provider: string;
  readonly endpoint: string;
  readonly state: SubmissionState;
  /** The insurer's own identifier, when it is known. */
  readonly insurerId: string | null;
  readonly receivedAt: string;
  readonly updatedAt: string;
  /** When to ask again; null once it has ended, or if a person has to find out. */
  readonly askAgainAt: string | null;
  /** The same in seconds from now, for the header `Retry-After`. */
  readonly retryAfterSeconds: number | null;
  /** The answer of the submission, as long as it is stored. */
  readonly answer: { readonly status: number; readonly body: unknown } | null;
}

/**
 * The state of a submission as its status address shows it.
 * @param now - the instant, and the running time, in milliseconds
 * @param stored - its answer, as long as it is stored
 */
export function statusOf(
  record: StoredSubmission,
  now: { readonly at: number; readonly running: number },
  stored: StoredAnswer | null,
): StatusAnswer {
  const standing = standingOf(record, now.running);
  const retryAfterSeconds = askAgainAfter(standing, now.running);
  return {
    submissionId: record.id,
    provider: record.provider,
    endpoint: record.endpoint,
    state: standing.state,
    insurerId: record.insurerId,
    receivedAt: new Date(record.receivedAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
    askAgainAt:
      retryAfterSeconds === null
        ? null
        : new Date(now.at + retryAfterSeconds * 1_000).toISOString(),
    retryAfterSeconds,
    answer: stored && { status: stored.status, body: bodyIn(stored) },
  };
}

function askAgainAfter({ nextQueryAt, state }: Standing, running: number): number | null {
  if (state === "in_flight") return SOON_SECONDS;
  return state === "outcome_unknown" ? secondsUntil(nextQueryAt, running) : null;
}

/** The address at which a submission's own caller asks for its state. */
export function submissionAddress(basePath: string, id: string): string {
  return `${basePath}/submissions/${id}`;
}

/** A stored answer for another request of the same submission. */
export function replayOf(stored: StoredAnswer): StoredAnswer {
  return { ...stored, headers: { ...stored.headers, "idempotency-replayed": "true" } };
}

/** Whether a refusal proves that nothing was taken and the same may be taken later: then its key is free again. */
export function freesKey({ facts: { outcome, retry } }: Refusal): boolean {
  return outcome === "not_sent" || (outcome === "rejected" && retry === "safe");
}

/** The refusal of somebody who asks for a submission that is not stored, or is another caller's. */
export function noSubmission(): Refusal {
  return new Refusal("SUBMISSION_NOT_FOUND", {
    detail:
      "You have no submission at this address. A submission that was not sent, or ended long ago, is not stored.",
  });
}

/** The refusal of somebody who asks for the key of an endpoint that is not served. */
export function noEndpoint(): Refusal {
  return new Refusal("VALIDATION_FAILED", {
    detail: "The gateway serves no such endpoint, so it cannot find the key.",
    errors: [
      {
        pointer: "/query/endpoint",
        code: "VALUE",
        message: "must be a submission of the segment, such as createApplication",
      },
    ],
  });
}

/** The refusal of a submission that was carried out, with its address. */
export function withAddress(refusal: Refusal, href: string): Refusal {
  const { details } = refusal;
  return new Refusal(refusal.code, { ...details, reconciliation: { href } }, refusal.cause);
}
