import type { Fault } from "../contract/faults.ts";
import type { CancellationSignal } from "../transport/transport.ts";
import {
  linkTo,
  ProblemError,
  RequestInvalidError,
  ResponseInvalidError,
  withFaults,
} from "./errors.ts";
import { GatewayError, isBranded } from "./gateway-error.ts";
import type { ProblemReconciliation, RetryAdvice } from "./problem.ts";

/** The properties that every result of a submission has. */
interface ResultFacts {
  readonly key: string;
  /** The id for `gateway.submission()`; null if the gateway did not report an id. */
  readonly submissionId: string | null;
}

/** The insurer carried the submission out. The insurer's answer may still be a decline: `status: "DECLINED"`. */
export interface Succeeded<Data> extends ResultFacts {
  readonly outcome: "succeeded";
  readonly data: Data;
  /**
   * True if the gateway returned a stored answer: the answer to an earlier request with the same key or content, or
   * to an attempt of this call whose answer was lost.
   */
  readonly replayed: boolean;
}

/** The insurer refused the submission and did nothing. */
export interface Rejected extends ResultFacts {
  readonly outcome: "rejected";
  /** The faults that the insurer reported by field; often empty. */
  readonly errors: readonly Fault[];
  readonly error: GatewayError;
}

/** The insurer never received the submission. */
export interface NotSent extends ResultFacts {
  readonly outcome: "not_sent";
  /** Advice for a repetition of the same submission. Always use the same key. */
  readonly retry: RetryAdvice;
  /** The faults of an invalid submission; empty for other reasons. */
  readonly errors: readonly Fault[];
  readonly error: GatewayError;
}

/** It is unknown whether the insurer acted. */
export interface Unknown<Data> extends ResultFacts {
  readonly outcome: "unknown";
  /** The time of the gateway's next query. Null if a person has to find out. */
  readonly askAgainAt: Date | null;
  readonly error: OutcomeUnknownError<Data>;
}

/** The insurer acted, and the insurer's answer is unusable or no longer stored. Never submit again. */
export interface Executed extends ResultFacts {
  readonly outcome: "executed";
  /** The insurer's identifier of the created item; null if unknown. */
  readonly insurerId: string | null;
  readonly error: GatewayError | null;
}

/** The result of a submission. `outcome` is the effect at the insurer. */
export type SubmissionResult<Data = unknown> =
  | Succeeded<Data>
  | Rejected
  | NotSent
  | Unknown<Data>
  | Executed;

/** The limits of a wait for the result of a submission. */
export interface ResolveOptions {
  /** The signal that ends the wait. */
  readonly signal?: CancellationSignal | undefined;
  /** The time limit in milliseconds. `resolve()` has none by default. */
  readonly timeout?: number | undefined;
}

/** The known facts about the submission, besides the error that caused the unknown outcome. */
export interface OutcomeFacts {
  /** True if this call may have been sent to the insurer, as in `OutcomeUnknownError`. */
  readonly mayBeSent: boolean;
  readonly idempotencyKey: string;
  readonly submissionId: string | null;
  readonly reconciliation: ProblemReconciliation | null;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  readonly askAgainAt: Date | null;
  /** True if the gateway had begun to send a success. A call with the same key receives the same answer again. */
  readonly answered: boolean;
  /** Waits for the final result of the submission. */
  readonly resolve: (
    error: OutcomeUnknownError,
    options: ResolveOptions,
  ) => Promise<SubmissionResult>;
}

/**
 * It is unknown whether the insurer acted on a submission: the gateway does not know, its answer was lost, late or
 * unreadable, or the gateway could not report on an earlier call with the same key. Store `idempotencyKey`: with it,
 * you can safely send the submission again. `cause` is the underlying error of another class, with the same code.
 */
export class OutcomeUnknownError<Data = unknown> extends GatewayError {
  declare readonly outcome: "unknown";
  /**
   * `same_key`: call again with the same input and key. `after_check`: the same call would fail again, so first ask
   * `gateway.submission()` or correct what the message names.
   */
  declare readonly retry: "same_key" | "after_check";
  declare readonly cause: GatewayError;
  /**
   * True if this call may have been sent to the insurer, or if the gateway reports the submission of an earlier call
   * with the same key, because the report does not tell which call was sent. False if this call was certainly not
   * sent, and only an earlier call with the same key may have been.
   */
  readonly mayBeSent: boolean;
  /** The key of the submission. The same key never takes effect twice. */
  readonly idempotencyKey: string;
  /** How to find out what happened: the gateway's report, or else the endpoint's declaration. */
  readonly reconciliation: ProblemReconciliation | null;
  /** The status of the newest answer, or null if there was none. */
  readonly status: number | null;
  /** Seconds to wait before the next query, from the gateway's newest problem; null if it names no time. */
  readonly retryAfterSeconds: number | null;
  /** The time of the gateway's next query. Null if a person has to find out. */
  readonly askAgainAt: Date | null;
  // This field is private, so that logs do not contain it.
  readonly #resolve: OutcomeFacts["resolve"];

  constructor(cause: GatewayError, facts: OutcomeFacts) {
    super("OutcomeUnknownError", {
      code: cause.code,
      outcome: "unknown",
      message: `${causeInWords(cause)} ${sendingInWords(facts)} ${adviceOf(cause, facts)}${ProblemError.isInstance(cause) ? linkTo(cause.type) : ""}`,
      retry: isReadable(facts) || isSameAnswerExpected(cause) ? "after_check" : "same_key",
      provider: cause.provider,
      endpoint: cause.endpoint,
      requestId: facts.requestId,
      submissionId: facts.submissionId,
      cause,
    });
    this.mayBeSent = facts.mayBeSent;
    this.idempotencyKey = facts.idempotencyKey;
    this.reconciliation = facts.reconciliation;
    this.status = facts.status;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.askAgainAt = facts.askAgainAt;
    this.#resolve = facts.resolve;
  }

  /**
   * Queries the gateway repeatedly, without sending the submission, until the outcome is known, a person has to find
   * out, or the time limit passes. This can take minutes, because the gateway searches the insurer's list several
   * times.
   * @returns the result; `unknown` if the time limit passes, the signal aborts, or a person has to find out
   */
  async resolve(options: ResolveOptions = {}): Promise<SubmissionResult<Data>> {
    // The result has the type of the called endpoint.
    return (await this.#resolve(this, options)) as SubmissionResult<Data>;
  }

  /** Reports whether a value is an error of this class, even if another copy of this package created the error. */
  static override isInstance(value: unknown): value is OutcomeUnknownError {
    return isBranded(value, "OutcomeUnknownError");
  }

  /** Returns the properties of the error as JSON, with the causing error's properties. */
  override toJSON(): Readonly<Record<string, unknown>> {
    const { cause } = this;
    const status = hasAnswer(cause) ? cause.status : null;
    const errors = hasAnswer(cause) || RequestInvalidError.isInstance(cause) ? cause.errors : [];
    return { ...super.toJSON(), cause: { name: cause.name, code: cause.code, status, errors } };
  }
}

/**
 * Describes the causing error. Its faults are included, because only they show how an answer differs from its
 * declaration.
 */
function causeInWords(cause: GatewayError): string {
  return ResponseInvalidError.isInstance(cause) || RequestInvalidError.isInstance(cause)
    ? withFaults(cause.detail, cause.errors)
    : cause.detail;
}

function sendingInWords({ mayBeSent }: OutcomeFacts): string {
  return mayBeSent
    ? "The submission may have been sent, and the insurer may have acted."
    : "This call was not sent. It is not known whether an earlier call with its key was sent.";
}

function adviceOf(cause: GatewayError, facts: OutcomeFacts): string {
  const { idempotencyKey, reconciliation, retryAfterSeconds, submissionId } = facts;
  const ask = submissionId === null ? [] : [`ask gateway.submission("${submissionId}")`];
  const search =
    reconciliation?.endpoint === undefined ? [] : [`look for it with ${reconciliation.endpoint}`];
  if (isReadable(facts))
    return `The gateway stores the answer, and returns it for the same key: ${[...ask, ...search].join(", or ")}.`;
  const when = retryAfterSeconds === null ? "" : ` in ${retryAfterSeconds} s`;
  const again = `all again${when} with the same input and the key "${idempotencyKey}"`;
  const begin = isSameAnswerExpected(cause)
    ? `The same call would fail again: find out why, then c${again}`
    : `C${again}`;
  return `${[begin, ...ask, ...search].join(", or ")}. The same key never takes effect twice.`;
}

/** Reports whether the gateway can return the success answer again. */
function isReadable({ answered, submissionId }: OutcomeFacts): boolean {
  return answered && submissionId !== null;
}

/**
 * Reports whether a repeated call would get the same answer again: the gateway reports this, or the answer is from
 * another server or another version of the gateway.
 */
function isSameAnswerExpected(cause: GatewayError): boolean {
  if (!ResponseInvalidError.isInstance(cause))
    return cause.retry === "never" || cause.retry === "after_check";
  return cause.status < 500 && ![408, 425, 429].includes(cause.status);
}

function hasAnswer(cause: GatewayError): cause is ProblemError | ResponseInvalidError {
  return ProblemError.isInstance(cause) || ResponseInvalidError.isInstance(cause);
}
