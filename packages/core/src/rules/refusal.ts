import type { Fault } from "../contract/faults.ts";
import type { Outcome, ProblemReconciliation, RetryAdvice } from "../errors/problem.ts";
import { type CodeFacts, problemCodes } from "../problems/codes.ts";
import type { ProblemCode } from "../problems/problem-code.ts";

/**
 * The result of a request to the insurer. `answered`: a usable answer or a documented refusal. The others, in this
 * order: an unusable answer, a refusal of the account's credentials, a failure that the circuit breaker counts, a
 * disconnected caller.
 */
export type AttemptResult =
  | "answered"
  | "unusable"
  | "credentials_refused"
  | "failed"
  | "cancelled";

/** The connections on which an insurer's answer arrived. */
export interface AnswerConnections {
  /** True if all connections were new, so that the answer cannot belong to an earlier request. */
  readonly areNew: boolean;
  /** Closes the connections, because the answer belongs to another request. */
  close(): void;
}

/** The facts of a refusal, besides its code. */
export interface RefusalDetails {
  /** A description of the event and the next step, without any sent value. */
  readonly detail: string;
  readonly errors?: readonly Fault[];
  readonly reconciliation?: ProblemReconciliation;
  /** The insurer's identifier of the created application. */
  readonly insurerId?: string;
  /** The creation time of the created application, as the insurer wrote the time. Callers do not see the time. */
  readonly createdAt?: unknown;
  /** Further response headers, such as `allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The reason for the operator's log, from a fixed set of reasons. Callers do not see the reason. */
  readonly reason?: string;
  readonly outcome?: Outcome;
  readonly retry?: RetryAdvice;
  /** The result of the request to the insurer, for the insurer's health; absent if no insurer was called. */
  readonly attempt?: AttemptResult;
  /** JSON Pointers of the match fields in which the insurer's answer differs from the sent values. */
  readonly mismatched?: readonly string[];
  /** True if the insurer refused the gateway's credentials. */
  readonly credentialsRefused?: boolean;
  /** True if a refusal is only likely: the connection ended without an answer after the client certificate was sent. */
  readonly credentialsSuspected?: boolean;
  /** True if the status was 401, so that the insurer may accept other credentials. */
  readonly credentialsOutdated?: boolean;
  /** True if the gateway has replaced the refused credentials, or will soon have new credentials. */
  readonly credentialsReplaced?: boolean;
  /** The connections of an answer that proves that the insurer acted. */
  readonly answerConnections?: AnswerConnections;
  /** Seconds that the insurer asked callers to wait. */
  readonly retryAfterSeconds?: number | null;
}

/** The advice to a caller after a fault of the gateway itself. */
export const INTERNAL_ERROR_DETAIL =
  "The gateway failed. Try again later. If the error persists, give the operator the requestId.";

/** The error with which any step of the gateway ends a request. The gateway answers the request with a problem. */
export class Refusal extends Error {
  readonly code: ProblemCode;
  readonly details: RefusalDetails;

  /** @param cause - the gateway's own error, which only the log contains */
  constructor(code: ProblemCode, details: RefusalDetails, cause?: unknown) {
    const { stackTraceLimit } = Error;
    // The stack trace is not used, because `cause` has the gateway's own error. With a trace, an instance takes 9 µs
    // instead of 0.4 µs.
    Error.stackTraceLimit = 0;
    super(`${code}: ${details.detail}`, { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.details = details;
  }

  /** The facts of the code. This refusal's own outcome and retry advice, if any, replace the usual ones. */
  get facts(): CodeFacts {
    const { outcome, retry } = this.details;
    const facts: CodeFacts = problemCodes[this.code];
    return { ...facts, outcome: outcome ?? facts.outcome, retry: retry ?? facts.retry };
  }
}

/**
 * Converts any thrown value to a refusal. An unexpected error is a fault of the gateway: the caller receives no details.
 */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal("INTERNAL_ERROR", { detail: INTERNAL_ERROR_DETAIL }, error);
}
