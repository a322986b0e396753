import type { Fault } from "../contract/faults.ts";
import type { OpenEnum } from "../contract/schema.ts";
import type { ProblemCode } from "../problems/problem-code.ts";

/**
 * The effect of a failed call at the insurer. `not_sent`: the insurer never received it. `rejected`: it refused.
 * `unknown`: it may have acted. `executed`: it acted, and the answer was lost or is unusable.
 */
export type Outcome = "not_sent" | "rejected" | "unknown" | "executed";

/**
 * Advice about repeating a call: `safe`, repeat it; `same_key`, repeat it with the same idempotency key;
 * `after_check`, check first whether the insurer carried it out; `never`, do not repeat it.
 */
export type RetryAdvice = "safe" | "same_key" | "after_check" | "never";

/** The code of an error: a problem's code, or a code of the client. */
export type ErrorCode = OpenEnum<
  | ProblemCode
  | "REQUEST_INVALID"
  | "TOKEN_UNAVAILABLE"
  | "CONNECTION_FAILED"
  | "TIMEOUT"
  | "CANCELLED"
  | "RESPONSE_INVALID"
>;

/** The ways to find out what happened to a submission. `endpoint` and `parameters` are both set or both absent. */
export interface ProblemReconciliation {
  /** The path of the submission on the gateway's host: `/submissions/{submissionId}`. */
  readonly href?: string;
  /** The name of the provider's search endpoint that shows whether the insurer carried out the submission. */
  readonly endpoint?: string;
  /** For each parameter of that search, a JSON Pointer to its value in the submission's body. */
  readonly parameters?: Readonly<Record<string, { readonly from: string }>>;
}

/** The body of every error answer of the gateway: `application/problem+json` (RFC 9457). */
export interface Problem {
  /** The absolute address of the page that explains the code; `about:blank` if the gateway serves no reference. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** The machine-readable reason, such as VALIDATION_FAILED; `docs/errors.md` lists them all. */
  readonly code: OpenEnum<ProblemCode>;
  /** A description of the event and of the next step. */
  readonly detail: string;
  /** The id of this request in the gateway's log. */
  readonly requestId: string;
  /** The provider that was called, or null if the request failed before the provider was determined. */
  readonly provider: string | null;
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
  /** Every fault of the request, if its content was refused. */
  readonly errors?: readonly Fault[];
  readonly reconciliation?: ProblemReconciliation;
  /** The insurer's identifier of the created item, if the insurer acted and its answer is unusable. */
  readonly insurerId?: string;
}
