import type { Fault } from "../contract/faults.ts";
import type { GatewayError, OutcomeUnknownError, RetryAdvice } from "../errors/index.ts";

/** The properties that every result of a submission has. */
interface ResultFacts {
  readonly key: string;
  /** The id for `gateway.submission()`; null if the gateway did not report one. */
  readonly submissionId: string | null;
}

/** The insurer carried the submission out. Its answer may still be a refusal of its own, such as `status: "DECLINED"`. */
export interface Succeeded<Data> extends ResultFacts {
  readonly outcome: "succeeded";
  readonly data: Data;
  /**
   * Whether the gateway returned a stored answer: to an earlier request with the same key or content, or to an attempt of this
   * call whose answer was lost.
   */
  readonly replayed: boolean;
}

/** The insurer refused the submission. It did nothing. */
export interface Rejected extends ResultFacts {
  readonly outcome: "rejected";
  /** The faults that the insurer reported by field; often empty. */
  readonly errors: readonly Fault[];
  readonly error: GatewayError;
}

/** The insurer never received the submission. */
export interface NotSent extends ResultFacts {
  readonly outcome: "not_sent";
  /** Whether the same submission can succeed later. Always use the same key. */
  readonly retry: RetryAdvice;
  /** The faults of an invalid submission; empty for other reasons. */
  readonly errors: readonly Fault[];
  readonly error: GatewayError;
}

/** It is not known whether the insurer acted. */
export interface Unknown<Data> extends ResultFacts {
  readonly outcome: "unknown";
  /** When the gateway may know more. Null: a person has to find out. */
  readonly askAgainAt: Date | null;
  readonly error: OutcomeUnknownError<Data>;
}

/** The insurer acted, and its answer is unusable or no longer stored. Never submit again. */
export interface Executed extends ResultFacts {
  readonly outcome: "executed";
  /** The insurer's identifier of what it created; null if unknown. */
  readonly insurerId: string | null;
  readonly error: GatewayError | null;
}

/** The result of a submission. `outcome` says what happened at the insurer. */
export type SubmissionResult<Data = unknown> =
  | Succeeded<Data>
  | Rejected
  | NotSent
  | Unknown<Data>
  | Executed;
