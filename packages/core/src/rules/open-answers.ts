import type { Endpoint } from "../contract/endpoint.ts";
import { sameContentOf } from "../contract/match.ts";
import type { Outcome, RetryAdvice } from "../errors/problem.ts";
import type { ProblemCode } from "../problems/problem-code.ts";
import { reconciliationOf } from "./outcome-unknown.ts";
import { Refusal } from "./refusal.ts";
import { proxyStatusOf } from "./stored-answer.ts";
import {
  SOON_SECONDS,
  type Standing,
  type SubmissionState,
  secondsUntil,
} from "./submission-standing.ts";

/** The kind of a repeated submission: with the same key, with the same content and no key, or with another key. */
export type Repetition = "same_key" | "same_content" | "other_key";

/** The answer to a repeated submission while the first submission has no result. */
interface OpenAnswer {
  readonly code: ProblemCode;
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
  readonly detail: string;
  /** The time of the caller's next query: in a few seconds, after the gateway's next query, or no time. */
  readonly retryAfter: "soon" | "next_query" | null;
}

const ASK_FOR_STATE = "Ask for its state at the address in `reconciliation.href`";

const otherKeyAnswer = (state: string): OpenAnswer => ({
  code: "DUPLICATE_APPLICATION",
  outcome: "not_sent",
  retry: "after_check",
  detail: `You sent the same application with another Idempotency-Key, and ${state}. This request was not sent. ${ASK_FOR_STATE} before you decide.`,
  retryAfter: null,
});

const unknownAnswer = (advice: string, retry: RetryAdvice): OpenAnswer => ({
  code: "OUTCOME_UNKNOWN",
  outcome: "unknown",
  retry,
  detail: `The insurer may have received the request, and no usable answer came back. ${advice}`,
  retryAfter: retry === "same_key" ? "next_query" : null,
});

const OR_REPEAT = "or send it again with the same Idempotency-Key, which never takes effect twice.";
const ASK_OPERATOR =
  "The gateway could not find out whether the insurer acted; the operator has to ask.";

/** The state of a submission without a final result. */
type OpenState = Exclude<SubmissionState, "succeeded" | "failed">;

/** The answers to a repeated submission, by the state of the first submission and by the kind of repetition. */
const openAnswers: Readonly<Record<OpenState, Readonly<Record<Repetition, OpenAnswer>>>> = {
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
      detail: `You sent the same application before, and it is still running. Nothing was sent a second time. ${ASK_FOR_STATE}.`,
      retryAfter: null,
    },
    other_key: otherKeyAnswer("it is still running"),
  },
  outcome_unknown: {
    same_key: unknownAnswer(`${ASK_FOR_STATE}, ${OR_REPEAT}`, "same_key"),
    same_content: unknownAnswer(`${ASK_FOR_STATE}.`, "after_check"),
    other_key: otherKeyAnswer("its outcome is not known yet"),
  },
  needs_review: {
    same_key: {
      ...unknownAnswer(`${ASK_OPERATOR} ${ASK_FOR_STATE}, ${OR_REPEAT}`, "same_key"),
      retryAfter: null,
    },
    same_content: unknownAnswer(`${ASK_OPERATOR} ${ASK_FOR_STATE}.`, "after_check"),
    other_key: otherKeyAnswer("the operator has to find out whether the insurer acted"),
  },
};

/** The facts for an answer, besides the submission's state. */
export interface AnswerFacts {
  readonly endpoint: Endpoint;
  /** The submission's address at the gateway. */
  readonly href: string;
  /** The running time (which the store counts while gateways run) now, in milliseconds. */
  readonly running: number;
}

/**
 * Returns the refusal of a repeated submission while the first submission has no result.
 * @param observed - the refusal of the attempt with an unknown outcome; the result has its details, its cause and its
 *   header `proxy-status`
 */
export function openRefusal(
  { nextQueryAt, state }: Standing & { readonly state: OpenState },
  asker: Repetition,
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
      detail: asker === "same_content" ? `${detail} ${repetitionInWords(endpoint)}` : detail,
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

/** Describes the treatment of an equal request without a key while the first submission has no result. */
function repetitionInWords(endpoint: Endpoint): string {
  return sameContentOf(endpoint) === "none"
    ? "An equal request is another submission, and is sent."
    : "An equal request is not sent again.";
}

/** Returns the refusal for a caller who does not want to wait longer for a running submission (`Prefer: wait`). */
export function runningRefusal(asker: Repetition, facts: AnswerFacts): Refusal {
  const { details } = openRefusal(
    { state: "outcome_unknown", nextQueryAt: facts.running + SOON_SECONDS * 1_000 },
    asker,
    facts,
  );
  return new Refusal("OUTCOME_UNKNOWN", {
    ...details,
    detail: `The insurer has not answered within the time of \`Prefer: wait\`. The submission continues. ${ASK_FOR_STATE}${asker === "same_key" ? `, ${OR_REPEAT}` : "."}`,
    headers: {
      ...details.headers,
      ...(asker === "same_key" ? { "retry-after": String(SOON_SECONDS) } : {}),
      "preference-applied": "wait",
    },
  });
}

/** Returns the refusal of a request while another request with the same key is being stored. */
export function unclaimedRefusal(): Refusal {
  return new Refusal("SUBMISSION_IN_PROGRESS", {
    detail:
      "A request with this Idempotency-Key is just being stored. Repeat yours after Retry-After.",
    outcome: "unknown",
    retry: "same_key",
    headers: { "retry-after": String(SOON_SECONDS) },
  });
}
