import type { Fault } from "../contract/faults.ts";

/**
 * What a failed call did at the insurer: the insurer never got it, refused it, may have acted on it, or
 * acted on it and the answer was lost or unusable.
 */
export type Outcome = "not_sent" | "rejected" | "unknown" | "executed";

/** Whether to send the call again: yes, with the same idempotency key, after looking whether it was carried out, or not. */
export type RetryAdvice = "safe" | "same_key" | "after_check" | "never";

/** Where to find out what became of a submission. `endpoint` and `parameters` come together. */
export interface ProblemReconciliation {
  /** The submission's address at the gateway, from the root of its host: `/submissions/{submissionId}`. */
  readonly href?: string;
  /** The name of the provider's search endpoint that shows whether the insurer carried it out. */
  readonly endpoint?: string;
  /** For each parameter of that search, where in the submission's body the value stands, as a JSON Pointer. */
  readonly parameters?: Readonly<Record<string, { readonly from: string }>>;
}

/** The body of every error the gateway answers with: `application/problem+json` (RFC 9457). */
export interface Problem {
  /** The address of the page that explains the code. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** The machine-readable reason, such as VALIDATION_FAILED; `docs/errors.md` lists them all. */
  readonly code: string;
  /** What happened and what to do next. */
  readonly detail: string;
  /** Names this request in the gateway's log. */
  readonly requestId: string;
  /** The provider that was called, or null when the request did not come that far. */
  readonly provider: string | null;
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
  /** Every fault of the request, when it was refused for its content. */
  readonly errors?: readonly Fault[];
  readonly reconciliation?: ProblemReconciliation;
  /** The insurer's identifier of what it created, when it acted and its answer cannot be used. */
  readonly insurerId?: string;
}
