import type { Fault } from "../contract/faults.ts";
import type { Outcome, ProblemReconciliation, RetryAdvice } from "../errors/problem.ts";
import { type CodeFacts, problemCodes } from "../problems/codes.ts";
import type { ProblemCode } from "../problems/problem-code.ts";

/**
 * The result of an attempt: a usable answer or a documented refusal; an answer that cannot be used; a refusal of the
 * account's credentials; a failure that the breaker counts; or the caller went away.
 */
export type AttemptResult =
  | "answered"
  | "unusable"
  | "credentials_refused"
  | "failed"
  | "cancelled";

/** The connections that an insurer's answer came on. */
export interface AnswerConnections {
  /** True if nothing of an earlier request can be in the answer. */
  readonly areNew: boolean;
  /** Closes them: the answer turned out to be another request's. */
  close(): void;
}

/** The facts of a refusal beyond its code. */
export interface RefusalDetails {
  /** The event and the next step; never a value that was sent. */
  readonly detail: string;
  readonly errors?: readonly Fault[];
  readonly reconciliation?: ProblemReconciliation;
  /** The insurer's own identifier of what it carried out. */
  readonly insurerId?: string;
  /** When that was created, as the insurer wrote it; for the gateway itself. */
  readonly createdAt?: unknown;
  /** Further response headers, such as `allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The reason, for the operator's log only: one of a fixed set. */
  readonly reason?: string;
  readonly outcome?: Outcome;
  readonly retry?: RetryAdvice;
  /** The meaning for the insurer's health, if an insurer was called. */
  readonly attempt?: AttemptResult;
  /** The match fields in which the insurer's answer differs from what was sent, as JSON Pointers. */
  readonly mismatched?: readonly string[];
  /** True if the insurer refused the gateway's credentials. */
  readonly credentialsRefused?: boolean;
  /** True if that is only likely: the connection ended without an answer, after the client certificate was presented. */
  readonly credentialsSuspected?: boolean;
  /** True if that was a 401: other credentials may be accepted. */
  readonly credentialsOutdated?: boolean;
  /** True if there are other credentials since, or will be soon. */
  readonly credentialsReplaced?: boolean;
  /** The connections of an answer that proves that the insurer acted. */
  readonly answerConnections?: AnswerConnections;
  /** How many seconds the insurer asked to be left alone. */
  readonly retryAfterSeconds?: number | null;
}

/** A caller's remedy for a fault of the gateway itself. */
export const INTERNAL_ERROR_DETAIL =
  "The gateway failed; try again later, and if it stays, give the operator the requestId.";

/** A request that ends with a problem. Any step of a request throws it, and one function answers it. */
export class Refusal extends Error {
  readonly code: ProblemCode;
  readonly details: RefusalDetails;

  /** @param cause - the gateway's own fault behind it, for the log */
  constructor(code: ProblemCode, details: RefusalDetails, cause?: unknown) {
    const { stackTraceLimit } = Error;
    // Nobody uses its stack trace, because `cause` has the gateway's own error. It would take 9 µs instead of 0.4 µs to create one.
    Error.stackTraceLimit = 0;
    super(`${code}: ${details.detail}`, { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.details = details;
  }

  /** The facts of the code, with what this refusal knows better. */
  get facts(): CodeFacts {
    const { outcome, retry } = this.details;
    const facts: CodeFacts = problemCodes[this.code];
    return { ...facts, outcome: outcome ?? facts.outcome, retry: retry ?? facts.retry };
  }
}

/** Makes a refusal of anything that was thrown. An unknown error is a fault of the gateway, and the caller sees nothing of it. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal("INTERNAL_ERROR", { detail: INTERNAL_ERROR_DETAIL }, error);
}
