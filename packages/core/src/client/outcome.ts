import type { Endpoint } from "../contract/endpoint.ts";
import {
  type GatewayError,
  type OutcomeFacts,
  OutcomeUnknownError,
  ProblemError,
  type ProblemReconciliation,
} from "../errors/index.ts";
import { beforeTheRecord } from "../problems/codes.ts";
import type { ResponseHead } from "./answer.ts";
import type { SubmissionKey } from "./idempotency-key.ts";

/** One failed attempt. */
export interface FailedAttempt {
  readonly failure: GatewayError;
  /** Head of the attempt's answer; null without an answer. */
  readonly head: ResponseHead | null;
}

/** Facts of a submission that the error of the submission needs. */
export interface SentSubmission extends SubmissionKey, Pick<OutcomeFacts, "resolve"> {
  /** Returns the time of the client's clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** Submission about which the client queries the gateway. */
export interface QueriedSubmission
  extends Pick<SentSubmission, "key" | "resolve">,
    Pick<OutcomeFacts, "submissionId"> {}

/**
 * Returns the error of a submission after its failed attempts: the error of the last attempt, or an OutcomeUnknownError
 * if an earlier attempt or call has an unknown outcome. An attempt that was not sent proves nothing about an earlier
 * attempt.
 */
export function errorAfterAttempts(
  endpoint: Endpoint,
  submission: SentSubmission,
  earlier: readonly FailedAttempt[],
  last: FailedAttempt,
): GatewayError {
  const { outcome } = last.failure;
  if (outcome === "rejected" || outcome === "executed") return last.failure;
  const attempts = [...earlier, last];
  // This call generated the key, so no earlier call sent the key.
  if (!submission.isGiven && attempts.every(({ failure }) => wasRequestNotSent(failure)))
    return withOutcomeNotSent(last.failure);
  const open = attempts.findLast(({ failure }) => failure.outcome === "unknown");
  // An answer of the gateway takes earlier calls with the key into account. Without an answer, the outcome of earlier
  // calls is unknown.
  const isAnswered = attempts.some(({ head }) => head !== null);
  if (open === undefined && (isAnswered || !submission.isGiven)) return last.failure;
  const facts = {
    ...outcomeFactsOf(endpoint, submission, attempts),
    mayBeSent: attempts.some(
      ({ failure }) => failure.outcome === "unknown" && !wasRefusedBeforeKeyWasRead(failure),
    ),
  };
  return new OutcomeUnknownError(open?.failure ?? last.failure, facts);
}

/**
 * Returns the error of a submission of which the client knows only the key, or the state that the gateway reported.
 * @param cause - the reason for the unknown outcome
 */
export function unknownOutcomeError(
  endpoint: Endpoint,
  { key, resolve, submissionId }: QueriedSubmission,
  cause: GatewayError,
  askAgainAt: Date | null,
): OutcomeUnknownError {
  const lookup = declaredReconciliation(endpoint);
  return new OutcomeUnknownError(cause, {
    mayBeSent: true,
    idempotencyKey: key,
    submissionId,
    reconciliation:
      submissionId === null ? lookup : { href: `/submissions/${submissionId}`, ...lookup },
    status: null,
    requestId: cause.requestId,
    retryAfterSeconds: ProblemError.isInstance(cause) ? cause.retryAfterSeconds : null,
    askAgainAt,
    answered: false,
    resolve,
  });
}

/** Wait before the next query if the gateway names no time, in seconds. */
const DEFAULT_QUERY_WAIT_SECONDS = 2;

/**
 * Returns the time of the next query after a failure. Returns null if the gateway names the submission's address
 * without a time: a person must find out the outcome then.
 * @param failure - the newest failure, if there is one
 */
export function nextQueryTimeAfter(
  failure: GatewayError | undefined,
  now: SentSubmission["now"],
): Date | null {
  const problem = ProblemError.isInstance(failure) ? failure : null;
  const seconds = problem?.retryAfterSeconds ?? null;
  if (seconds === null && problem?.reconciliation?.href !== undefined) return null;
  return new Date(now() + (seconds ?? DEFAULT_QUERY_WAIT_SECONDS) * 1_000);
}

/**
 * Reports whether the gateway did not send this request to the insurer. The gateway may have sent an earlier request.
 */
function wasRequestNotSent(failure: GatewayError): boolean {
  return failure.outcome === "not_sent" || wasRefusedBeforeKeyWasRead(failure);
}

/** Reports whether the gateway refused a request before it could look for earlier requests with the same key. */
function wasRefusedBeforeKeyWasRead(failure: GatewayError): failure is ProblemError {
  return (
    ProblemError.isInstance(failure) &&
    failure.outcome === "unknown" &&
    // The gateway advises `after_check` only for requests without a key, which this client does not send.
    failure.retry !== "after_check" &&
    failure.reconciliation === null &&
    beforeTheRecord.some((code) => code === failure.code)
  );
}

/** Returns the error of a call whose requests were not sent to the insurer, with the outcome `not_sent`. */
function withOutcomeNotSent(failure: GatewayError): GatewayError {
  if (!wasRefusedBeforeKeyWasRead(failure)) return failure;
  const { code, endpoint, errors, provider, requestId, retry, status, type } = failure;
  return new ProblemError(
    endpoint,
    provider,
    {
      type,
      title: "",
      status,
      code,
      detail: `${failure.detail} This call generated its key, so no earlier call sent this key.`,
      requestId: requestId ?? "",
      provider,
      outcome: "not_sent",
      retry: retry === "same_key" ? "safe" : retry,
      errors,
    },
    failure.retryAfterSeconds,
  );
}

/**
 * Returns the facts for an OutcomeUnknownError. Each fact comes from the newest attempt that has this fact, because the
 * attempt with the unknown outcome may lack some facts.
 */
function outcomeFactsOf(
  endpoint: Endpoint,
  { key, now, resolve }: SentSubmission,
  attempts: readonly FailedAttempt[],
): Omit<OutcomeFacts, "mayBeSent"> {
  const problems = attempts
    .map(({ failure }) => failure)
    .filter((failure) => ProblemError.isInstance(failure));
  const head = attempts.findLast((failed) => failed.head !== null)?.head ?? null;
  const answered = head !== null && head.status < 300;
  const reconciliation =
    problems.findLast((problem) => problem.reconciliation !== null)?.reconciliation ??
    declaredReconciliation(endpoint);
  return {
    idempotencyKey: key,
    answered,
    reconciliation,
    submissionId:
      (answered ? submissionIdIn(head.headers.location) : null) ??
      submissionIdIn(reconciliation?.href),
    resolve,
    status: head?.status ?? null,
    requestId: attempts.map(requestIdOf).findLast((id) => id !== null) ?? null,
    retryAfterSeconds: problems.at(-1)?.retryAfterSeconds ?? null,
    askAgainAt: nextQueryTimeAfter(problems.at(-1), now),
  };
}

function requestIdOf({ failure, head }: FailedAttempt): string | null {
  return failure.requestId || (head?.requestId ?? null);
}

/** Returns the submission's id at the end of its address, which may have a host and a path prefix. */
export function submissionIdIn(address: string | undefined): string | null {
  return /\/submissions\/([A-Za-z0-9._~-]+)$/.exec(address ?? "")?.[1] ?? null;
}

function declaredReconciliation({ reconcile }: Endpoint): ProblemReconciliation | null {
  return reconcile === undefined
    ? null
    : { endpoint: reconcile.endpoint, parameters: reconcile.parameters };
}
