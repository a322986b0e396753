import type { Endpoint } from "../contract/endpoint.ts";
import {
  type GatewayError,
  type OutcomeFacts,
  OutcomeUnknownError,
  ProblemError,
  type ProblemReconciliation,
} from "../errors/index.ts";
import { beforeTheRecord } from "../problems/before-the-record.ts";
import type { ResponseHead } from "./answer.ts";

/** One attempt that failed. */
export interface FailedTry {
  readonly failure: GatewayError;
  /** The head of its answer, when one came. */
  readonly head: ResponseHead | null;
}

/** The idempotency key of a submission. */
export interface SubmissionKey {
  readonly key: string;
  /** Whether the caller gave it: an earlier call may have been sent with it. */
  readonly isGiven: boolean;
}

/**
 * The error that a call ends with after its failed attempts: the last one, unless an earlier attempt of a submission
 * left its outcome unknown. An attempt that was not sent proves nothing about an earlier one.
 * @param submission - its key; null for a call that is no submission
 */
export function concluded(
  endpoint: Endpoint,
  submission: SubmissionKey | null,
  earlier: readonly FailedTry[],
  last: FailedTry,
): GatewayError {
  const { outcome } = last.failure;
  if (submission === null || outcome === "rejected" || outcome === "executed") return last.failure;
  const tries = [...earlier, last];
  // With a key that this call made, no request was sent before it.
  if (!submission.isGiven && tries.every(({ failure }) => isNotSent(failure)))
    return notSent(last.failure);
  const open = tries.findLast(({ failure }) => failure.outcome === "unknown");
  // The gateway answers for the key; without an answer, nobody knows of an earlier call with it.
  const isAnswered = tries.some(({ head }) => head !== null);
  if (open === undefined && (isAnswered || !submission.isGiven)) return last.failure;
  const facts = { ...factsOf(endpoint, submission.key, tries), sent: open !== undefined };
  return new OutcomeUnknownError(open?.failure ?? last.failure, facts);
}

/** Whether a request never left the gateway; what the gateway does not know is whether an earlier one did. */
function isNotSent(failure: GatewayError): boolean {
  return failure.outcome === "not_sent" || isRefusedUnread(failure);
}

function isRefusedUnread(failure: GatewayError): failure is ProblemError {
  return (
    ProblemError.isInstance(failure) &&
    failure.outcome === "unknown" &&
    failure.reconciliation === null &&
    beforeTheRecord.some((code) => code === failure.code)
  );
}

/** The same refusal, where there was no earlier request. */
function notSent(failure: GatewayError): GatewayError {
  if (!isRefusedUnread(failure)) return failure;
  const { code, endpoint, errors, message, provider, requestId, retry, status, type } = failure;
  const faults = errors.map(({ message: fault, pointer }) => ` ${pointer} ${fault}.`).join("");
  const words = message.slice(message.indexOf(`${code}. `) + code.length + 2);
  const detail = words
    .slice(0, words.length - (words.endsWith(faults) ? faults.length : 0))
    .replace(/ The gateway does not know whether an earlier [^.]*\.$/, "");
  return new ProblemError(
    endpoint,
    provider,
    {
      type,
      title: "",
      status,
      code,
      detail,
      requestId: requestId ?? "",
      provider,
      outcome: "not_sent",
      retry: retry === "same_key" ? "safe" : retry,
      errors,
    },
    failure.retryAfterSeconds,
  );
}

/** Each fact comes from the newest attempt that has it: the attempt that left the outcome open may lack some. */
function factsOf(
  endpoint: Endpoint,
  idempotencyKey: string,
  tries: readonly FailedTry[],
): Omit<OutcomeFacts, "sent"> {
  const problems = tries
    .map(({ failure }) => failure)
    .filter((failure) => ProblemError.isInstance(failure));
  const head = tries.findLast((failed) => failed.head !== null)?.head ?? null;
  const answered = head !== null && head.status < 300;
  const reconciliation =
    problems.findLast((problem) => problem.reconciliation !== null)?.reconciliation ??
    declaredReconciliation(endpoint);
  return {
    idempotencyKey,
    answered,
    reconciliation,
    submissionId: (answered ? idIn(head.headers.location) : null) ?? idIn(reconciliation?.href),
    status: head?.status ?? null,
    requestId: tries.map(requestIdOf).findLast((id) => id !== null) ?? null,
    retryAfterSeconds: problems.at(-1)?.retryAfterSeconds ?? null,
  };
}

function requestIdOf({ failure, head }: FailedTry): string | null {
  return failure.requestId || (head?.requestId ?? null);
}

/** The id at the end of a submission's address, which may begin with a host and a path prefix. */
function idIn(address: string | undefined): string | null {
  return /\/submissions\/([A-Za-z0-9._~-]+)$/.exec(address ?? "")?.[1] ?? null;
}

function declaredReconciliation({ reconcile }: Endpoint): ProblemReconciliation | null {
  return reconcile === undefined
    ? null
    : { endpoint: reconcile.endpoint, parameters: reconcile.parameters };
}
