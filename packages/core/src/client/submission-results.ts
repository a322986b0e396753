import { answerOf, isEmptyAnswer, jsonAnswerOf } from "../contract/answers.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { check } from "../contract/faults.ts";
import {
  GatewayError,
  OutcomeUnknownError,
  ProblemError,
  RequestInvalidError,
  type SubmissionResult,
} from "../errors/index.ts";
import type { WithResponse } from "./call.ts";
import { asProblem } from "./problem.ts";
import { nameOf } from "./request.ts";
import type { SubmissionStatus } from "./submission-status.ts";

/** Makes the result of a call that the gateway answered. */
export function resultOfAnswer(
  { data, response }: WithResponse<unknown>,
  key: string,
): SubmissionResult {
  const { location = "" } = response.headers;
  return {
    outcome: "succeeded",
    key,
    submissionId: /\/submissions\/([A-Za-z0-9._~-]+)$/.exec(location)?.[1] ?? null,
    data,
    replayed: response.replayed,
  };
}

/**
 * Makes the result of a call that failed.
 * @throws the error itself if it is not a GatewayError
 */
export function resultOfError(error: unknown, key: string): SubmissionResult {
  if (!GatewayError.isInstance(error)) throw error;
  const isSubmissionKnown =
    OutcomeUnknownError.isInstance(error) || RequestInvalidError.isInstance(error);
  const submissionId = isSubmissionKnown ? error.submissionId : null;
  const errors =
    ProblemError.isInstance(error) || RequestInvalidError.isInstance(error) ? error.errors : [];
  if (OutcomeUnknownError.isInstance(error))
    return { outcome: "unknown", key, submissionId, askAgainAt: askAgainAt(error), error };
  switch (error.outcome) {
    case "rejected":
      return { outcome: "rejected", key, submissionId, errors, error };
    case "executed":
      return { outcome: "executed", key, submissionId, insurerId: insurerIdIn(error), error };
    default:
      // Every other error of a submission whose outcome is unknown is an OutcomeUnknownError.
      return { outcome: "not_sent", key, submissionId, retry: error.retry, errors, error };
  }
}

/**
 * Makes the result of a submission whose status the gateway reported.
 * @param stillUnknown - the error for a submission that has no end yet
 */
export function resultOfStatus(
  endpoint: Endpoint,
  status: SubmissionStatus,
  key: string,
  stillUnknown: () => OutcomeUnknownError,
): SubmissionResult {
  const { answer, insurerId, state, submissionId } = status;
  const facts = { key, submissionId };
  if (state !== "succeeded" && state !== "failed")
    return { ...facts, outcome: "unknown", askAgainAt: dateOf(status), error: stillUnknown() };
  const problem = answer === null ? null : asProblem(answer.body, answer.status);
  const error =
    problem === null ? null : new ProblemError(nameOf(endpoint), endpoint.provider, problem, null);
  if (state === "failed") {
    const refused = error ?? forgottenRefusal(endpoint);
    return { ...facts, outcome: "rejected", errors: refused.errors, error: refused };
  }
  const data = answer === null ? undefined : declaredAnswer(endpoint, answer);
  return data === undefined
    ? { ...facts, outcome: "executed", insurerId, error }
    : { ...facts, outcome: "succeeded", data: data.value, replayed: true };
}

/** Returns a stored answer if the endpoint declares it, and undefined for any other. */
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

/** The error of a submission that failed so long ago that the gateway does not store its answer any more. */
function forgottenRefusal(endpoint: Endpoint): ProblemError {
  return new ProblemError(
    nameOf(endpoint),
    endpoint.provider,
    {
      type: "",
      title: "",
      status: 422,
      code: "PROVIDER_REJECTED",
      detail: "The insurer did not carry it out. The gateway does not store the reason any more.",
      requestId: "",
      provider: endpoint.provider,
      outcome: "rejected",
      retry: "never",
    },
    null,
  );
}

function insurerIdIn(error: GatewayError): string | null {
  return ProblemError.isInstance(error) ? error.insurerId : null;
}

/** How long to wait before asking again if the gateway did not say, in seconds. */
const ASK_SOON_SECONDS = 2;

/** The gateway names no time if a person has to find out. An error without its problem says nothing. */
function askAgainAt({ cause, retryAfterSeconds }: OutcomeUnknownError): Date | null {
  if (retryAfterSeconds === null && ProblemError.isInstance(cause)) return null;
  return new Date(Date.now() + (retryAfterSeconds ?? ASK_SOON_SECONDS) * 1_000);
}

function dateOf({ askAgainAt: at }: SubmissionStatus): Date | null {
  return at === null ? null : new Date(at);
}
