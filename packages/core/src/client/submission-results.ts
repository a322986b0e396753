import { answerOf, isEmptyAnswer, jsonAnswerOf } from "../contract/answers.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { check } from "../contract/faults.ts";
import {
  GatewayError,
  OutcomeUnknownError,
  type Problem,
  ProblemError,
  RequestInvalidError,
} from "../errors/index.ts";
import type { SubmissionResult } from "../errors/outcome-unknown-error.ts";
import type { SubmissionStatus } from "../own/submission-status.ts";
import type { WithResponse } from "./call.ts";
import { type QueriedSubmission, submissionIdIn, unknownOutcomeError } from "./outcome.ts";
import { asProblem } from "./problem.ts";
import { endpointNameOf } from "./request.ts";

/** Returns the result of a call that the gateway answered with a success. */
export function resultOfAnswer(
  { data, response }: WithResponse<unknown>,
  key: string,
): SubmissionResult {
  return {
    outcome: "succeeded",
    key,
    submissionId: submissionIdIn(response.headers.location),
    data,
    replayed: response.replayed,
  };
}

/**
 * Returns the result of a call that failed.
 * @throws the error itself if it is not a GatewayError
 */
export function resultOfError(error: unknown, key: string): SubmissionResult {
  if (!GatewayError.isInstance(error)) throw error;
  const { insurerId, submissionId } = error;
  const errors =
    ProblemError.isInstance(error) || RequestInvalidError.isInstance(error) ? error.errors : [];
  if (OutcomeUnknownError.isInstance(error))
    return { outcome: "unknown", key, submissionId, askAgainAt: error.askAgainAt, error };
  switch (error.outcome) {
    case "rejected":
      return { outcome: "rejected", key, submissionId, errors, error };
    case "executed":
      return { outcome: "executed", key, submissionId, insurerId, error };
    default:
      // Any error with an unknown outcome is an OutcomeUnknownError, so this error has the outcome `not_sent`.
      return { outcome: "not_sent", key, submissionId, retry: error.retry, errors, error };
  }
}

/** Returns the result of a submission whose status the gateway reported. */
export function resultOfStatus(
  endpoint: Endpoint,
  status: SubmissionStatus,
  submission: QueriedSubmission,
): SubmissionResult {
  const { answer, insurerId, state, submissionId } = status;
  const facts = { key: submission.key, submissionId };
  if (state !== "succeeded" && state !== "failed") {
    const cause = openSubmissionError(endpoint, status);
    const found = { ...submission, submissionId };
    return resultOfError(
      unknownOutcomeError(endpoint, found, cause, nextQueryTimeOf(status)),
      facts.key,
    );
  }
  const problem = answer === null ? null : asProblem(answer.body, answer.status);
  const error =
    problem === null
      ? null
      : new ProblemError(endpointNameOf(endpoint), endpoint.provider, problem, null);
  if (state === "failed") {
    const refused = error ?? expiredReasonError(endpoint);
    return { ...facts, outcome: "rejected", errors: refused.errors, error: refused };
  }
  const data = answer === null ? undefined : declaredAnswer(endpoint, answer);
  return data === undefined
    ? { ...facts, outcome: "executed", insurerId, error }
    : { ...facts, outcome: "succeeded", data: data.value, replayed: true };
}

/** Returns a stored answer if the endpoint declares it, otherwise undefined. */
function declaredAnswer(
  endpoint: Endpoint,
  { body, status }: NonNullable<SubmissionStatus["answer"]>,
): { readonly value: unknown } | undefined {
  const declared = answerOf(endpoint, status);
  if (declared === undefined) return undefined;
  if (isEmptyAnswer(declared)) return { value: undefined };
  const schema = jsonAnswerOf(declared);
  const checked = schema && check(schema, body);
  return checked?.valid ? { value: checked.value } : undefined;
}

/** Returns the error of a submission that has no result yet. */
function openSubmissionError(
  endpoint: Endpoint,
  { state, submissionId }: SubmissionStatus,
): ProblemError {
  return ownProblem(endpoint, {
    code: "OUTCOME_UNKNOWN",
    status: 504,
    detail:
      state === "needs_review"
        ? "The gateway could not find out whether the insurer acted; the operator has to ask."
        : "The gateway does not know yet whether the insurer acted.",
    outcome: "unknown",
    retry: "same_key",
    reconciliation: { href: `/submissions/${submissionId}` },
  });
}

/** Returns the error of a failed submission whose reason the gateway no longer stores because of its age. */
function expiredReasonError(endpoint: Endpoint): ProblemError {
  return ownProblem(endpoint, {
    code: "PROVIDER_REJECTED",
    status: 422,
    detail:
      "The insurer did not carry out the submission. The gateway does not store the reason any more.",
    outcome: "rejected",
    retry: "never",
  });
}

/** Creates an error for a fact that the client knows from a submission's status, not from a problem. */
function ownProblem(
  endpoint: Endpoint,
  parts: Pick<Problem, "code" | "status" | "detail" | "outcome" | "retry" | "reconciliation">,
): ProblemError {
  const { provider } = endpoint;
  const problem = { type: "", title: "", requestId: "", provider, ...parts };
  return new ProblemError(endpointNameOf(endpoint), provider, problem, null);
}

/** Returns the time at which the gateway may know more about a submission; null if a person must find out. */
export function nextQueryTimeOf({ askAgainAt }: SubmissionStatus): Date | null {
  return askAgainAt === null ? null : new Date(askAgainAt);
}
