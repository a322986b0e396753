import {
  GatewayError,
  OutcomeUnknownError,
  ProblemError,
  RequestInvalidError,
  ResponseInvalidError,
} from "@insurance-gateway/core";
import { type Fault, kindPolicies } from "@insurance-gateway/core/contract";
import { adviceOf, firstMayHaveActed, NEW_KEY } from "./advice.ts";
import { type Failure, failureAnswer, type SearchHint, type ToolAnswer } from "./answers.ts";
import { shownCode, shownFaults, shownRequestId } from "./forms.ts";
import type { EndpointTool } from "./tools.ts";
import { visible } from "./visible.ts";

/** What is known of a call beside what it threw. */
export interface CallFacts {
  /** Whether the call can change something at the insurer. */
  readonly acts: boolean;
  /** Whether the submission, or another with its key, may have been sent before this call. */
  readonly sentBefore: boolean;
  /** The tool that shows what became of it. */
  readonly search: SearchHint | null;
}

/** The facts of a call of an endpoint. */
export function factsOf({ endpoint, search }: EndpointTool, sentBefore = false): CallFacts {
  return { acts: kindPolicies[endpoint.kind].actsAtInsurer, sentBefore, search };
}

/** The answer to a call that threw. */
export function errorAnswer(facts: CallFacts, error: unknown): ToolAnswer {
  if (!GatewayError.isInstance(error)) return failureAnswer(unexpected(facts));
  const answered =
    ProblemError.isInstance(error) ||
    ResponseInvalidError.isInstance(error) ||
    OutcomeUnknownError.isInstance(error);
  const failure = failureOf(facts, error);
  return failureAnswer(failure, (answered ? error.status : null) ?? undefined);
}

/** A fault of this program: nothing tells how far the call came. */
function unexpected({ acts }: CallFacts): Failure {
  const code = "INTERNAL_ERROR";
  const retry = acts ? "same_key" : "safe";
  return {
    code,
    outcome: "unknown",
    retry,
    message: acts
      ? "The MCP server failed, and the insurer may have acted."
      : "The MCP server failed.",
    next: adviceOf({ code, retry, acts, executed: false, retryAfterSeconds: null }),
    requestId: null,
    errors: [],
  };
}

function failureOf(facts: CallFacts, error: GatewayError): Failure {
  if (OutcomeUnknownError.isInstance(error)) {
    const { cause } = error;
    const isRefused = ProblemError.isInstance(cause) && cause.retry === "never";
    return isRefused ? notSentAgain(failureOf(facts, cause)) : unknownOutcome(facts, error);
  }
  const { outcome, retry } = error;
  const code = shownCode(error.code);
  const { insurerId = null, retryAfterSeconds = null } = ProblemError.isInstance(error)
    ? error
    : {};
  const executed = outcome === "executed";
  const errors = shownFaults(hasErrors(error) ? error.errors : []);
  const failure: Failure = {
    code,
    outcome,
    retry,
    message: messageOf(error, errors),
    next: adviceOf({ code, retry, executed, acts: facts.acts, retryAfterSeconds }),
    requestId: shownRequestId(error.requestId),
    errors,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    ...(insurerId === null ? {} : { insurerId: visible(insurerId) }),
    ...(retry === "after_check" ? namedSubmission(error) : {}),
  };
  return facts.sentBefore && outcome === "not_sent" ? notSentAgain(failure) : failure;
}

/** The submission of the caller's that stands in the way, where the problem names it. */
function namedSubmission(error: GatewayError): { readonly submissionId?: string } {
  const href = ProblemError.isInstance(error) ? error.reconciliation?.href : undefined;
  const [, submissionId] = /\/submissions\/([A-Za-z0-9._~-]+)$/.exec(href ?? "") ?? [];
  return submissionId === undefined ? {} : { submissionId: visible(submissionId) };
}

/**
 * This call was not sent, which says nothing about the one before it. Where the same call would end the same way, its fault
 * has to be corrected first.
 */
function notSentAgain(failure: Failure): Failure {
  const lasting = failure.retry === "never";
  const isFaulty = lasting || failure.code === "TOKEN_UNAVAILABLE";
  return {
    ...failure,
    outcome: "unknown",
    retry: lasting ? "after_check" : "same_key",
    message: firstMayHaveActed.message,
    next: [...(isFaulty ? [failure.next] : []), firstMayHaveActed.next].join(" "),
  };
}

/** The insurer may have acted. The client's own message addresses a program, this one a model that calls tools. */
function unknownOutcome({ search }: CallFacts, error: OutcomeUnknownError): Failure {
  const { outcome, requestId, retry, retryAfterSeconds, submissionId } = error;
  const code = shownCode(error.code);
  return {
    code,
    outcome,
    retry,
    message:
      "The submission was sent, and nothing tells whether the insurer acted: it may have been carried out.",
    next: [
      adviceOf({ code, retry, acts: true, executed: false, retryAfterSeconds }),
      ...(search === null ? [] : [`${search.tool} shows what the insurer has.`]),
      NEW_KEY,
    ].join(" "),
    requestId: shownRequestId(requestId),
    errors: [],
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    ...(submissionId === null ? {} : { submissionId: visible(submissionId) }),
    ...(search === null ? {} : { reconciliation: search }),
  };
}

/** What the error says, where all that came from outside has its form. */
function messageOf(error: GatewayError, errors: Failure["errors"]): string {
  const formed = shownCode(error.code) === error.code && errors.every(isFormed);
  return formed ? visible(error.message) : "What came from the gateway has not its form.";
}

function isFormed({ code, pointer }: Failure["errors"][number]): boolean {
  return code !== "?" && pointer !== "?";
}

function hasErrors(error: GatewayError): error is GatewayError & { errors: readonly Fault[] } {
  return (
    ProblemError.isInstance(error) ||
    RequestInvalidError.isInstance(error) ||
    ResponseInvalidError.isInstance(error)
  );
}
