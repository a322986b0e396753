import type { Endpoint } from "../contract/endpoint.ts";
import {
  type GatewayError,
  type OutcomeFacts,
  OutcomeUnknownError,
  ProblemError,
  type ProblemReconciliation,
} from "../errors/index.ts";
import type { ResponseHead } from "./answer.ts";

/** One try that failed. */
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
 * The error that the failed tries of one call come to: the last, unless an earlier try of a submission left more open
 * than the last one tells. A try that came to nothing says nothing about the one before it.
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
  const open = tries.findLast(({ failure }) => failure.outcome === "unknown");
  // The gateway answers for the key; without an answer, nobody knows of an earlier call with it.
  const isAnswered = tries.some(({ head }) => head !== null);
  if (open === undefined && (isAnswered || !submission.isGiven)) return last.failure;
  const facts = { ...factsOf(endpoint, submission.key, tries), sent: open !== undefined };
  return new OutcomeUnknownError(open?.failure ?? last.failure, facts);
}

/** Each fact from the newest try that tells it: the try that left the outcome open need not know them. */
function factsOf(
  endpoint: Endpoint,
  idempotencyKey: string,
  tries: readonly FailedTry[],
): Omit<OutcomeFacts, "sent"> {
  const problems = tries
    .map(({ failure }) => failure)
    .filter((failure) => ProblemError.isInstance(failure));
  const head = tries.findLast((failed) => failed.head !== null)?.head ?? null;
  const answered = head !== null && head.status >= 200 && head.status < 300;
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
