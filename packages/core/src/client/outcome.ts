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

/** One attempt that failed. */
export interface FailedTry {
  readonly failure: GatewayError;
  /** The head of its answer, if there was one. */
  readonly head: ResponseHead | null;
}

/** A submission, as far as its error needs it. */
export interface SentSubmission extends SubmissionKey, Pick<OutcomeFacts, "resolve"> {
  /** The client's clock: milliseconds since 1970. */
  readonly now: () => number;
}

/** A submission that the gateway is asked about. */
export interface AskedSubmission
  extends Pick<SentSubmission, "key" | "resolve">,
    Pick<OutcomeFacts, "submissionId"> {}

/**
 * Returns the error of a submission after its failed attempts: the last one, unless an earlier attempt has an
 * unknown outcome. An attempt that was not sent proves nothing about an earlier one.
 */
export function concluded(
  endpoint: Endpoint,
  submission: SentSubmission,
  earlier: readonly FailedTry[],
  last: FailedTry,
): GatewayError {
  const { outcome } = last.failure;
  if (outcome === "rejected" || outcome === "executed") return last.failure;
  const tries = [...earlier, last];
  // This call created the key, so no earlier call sent it.
  if (!submission.isGiven && tries.every(({ failure }) => isNotSent(failure)))
    return notSent(last.failure);
  const open = tries.findLast(({ failure }) => failure.outcome === "unknown");
  // An answer of the gateway takes earlier calls with the key into account. Without an answer, their outcome is
  // unknown.
  const isAnswered = tries.some(({ head }) => head !== null);
  if (open === undefined && (isAnswered || !submission.isGiven)) return last.failure;
  const facts = {
    ...factsOf(endpoint, submission, tries),
    mayBeSent: tries.some(
      ({ failure }) => failure.outcome === "unknown" && !isRefusedUnread(failure),
    ),
  };
  return new OutcomeUnknownError(open?.failure ?? last.failure, facts);
}

/**
 * Returns the error of a submission of which only the key is known, or the state that the gateway reported.
 * @param cause - why its outcome is unknown
 */
export function unknownSubmission(
  endpoint: Endpoint,
  { key, resolve, submissionId }: AskedSubmission,
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

/** How long to wait before asking again if the gateway did not say, in seconds. */
const ASK_SOON_SECONDS = 2;

/**
 * When to ask again after a failure. The gateway names no time with the address of a submission that a person has to find out.
 * @param failure - the newest problem, if there was one
 */
export function askAgainAfter(
  failure: GatewayError | undefined,
  now: SentSubmission["now"],
): Date | null {
  const problem = ProblemError.isInstance(failure) ? failure : null;
  const seconds = problem?.retryAfterSeconds ?? null;
  if (seconds === null && problem?.reconciliation?.href !== undefined) return null;
  return new Date(now() + (seconds ?? ASK_SOON_SECONDS) * 1_000);
}

/** Whether the gateway did not send this request to the insurer, without knowing whether it sent an earlier one. */
function isNotSent(failure: GatewayError): boolean {
  return failure.outcome === "not_sent" || isRefusedUnread(failure);
}

function isRefusedUnread(failure: GatewayError): failure is ProblemError {
  return (
    ProblemError.isInstance(failure) &&
    failure.outcome === "unknown" &&
    // `after_check` is for requests without a key, which this client does not send.
    failure.retry !== "after_check" &&
    failure.reconciliation === null &&
    beforeTheRecord.some((code) => code === failure.code)
  );
}

/** The same error for a call without an earlier request. */
function notSent(failure: GatewayError): GatewayError {
  if (!isRefusedUnread(failure)) return failure;
  const { code, endpoint, errors, provider, requestId, retry, status, type } = failure;
  return new ProblemError(
    endpoint,
    provider,
    {
      type,
      title: "",
      status,
      code,
      detail: `${failure.detail} This call made its key, so no earlier call had it.`,
      requestId: requestId ?? "",
      provider,
      outcome: "not_sent",
      retry: retry === "same_key" ? "safe" : retry,
      errors,
    },
    failure.retryAfterSeconds,
  );
}

/** Each property comes from the newest attempt that has it. The attempt with the unknown outcome may lack some. */
function factsOf(
  endpoint: Endpoint,
  { key, now, resolve }: SentSubmission,
  tries: readonly FailedTry[],
): Omit<OutcomeFacts, "mayBeSent"> {
  const problems = tries
    .map(({ failure }) => failure)
    .filter((failure) => ProblemError.isInstance(failure));
  const head = tries.findLast((failed) => failed.head !== null)?.head ?? null;
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
    requestId: tries.map(requestIdOf).findLast((id) => id !== null) ?? null,
    retryAfterSeconds: problems.at(-1)?.retryAfterSeconds ?? null,
    askAgainAt: askAgainAfter(problems.at(-1), now),
  };
}

function requestIdOf({ failure, head }: FailedTry): string | null {
  return failure.requestId || (head?.requestId ?? null);
}

/** Returns the id at the end of a submission's address, which may have a host and a path prefix. */
export function submissionIdIn(address: string | undefined): string | null {
  return /\/submissions\/([A-Za-z0-9._~-]+)$/.exec(address ?? "")?.[1] ?? null;
}

function declaredReconciliation({ reconcile }: Endpoint): ProblemReconciliation | null {
  return reconcile === undefined
    ? null
    : { endpoint: reconcile.endpoint, parameters: reconcile.parameters };
}
