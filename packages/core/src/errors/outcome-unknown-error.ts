import { ProblemError, ResponseInvalidError } from "./errors.ts";
import { GatewayError, isBranded } from "./gateway-error.ts";
import type { ProblemReconciliation } from "./problem.ts";

/** What is known about the submission, beside the error that caused this one. */
export interface OutcomeFacts {
  /** Whether this call was sent; otherwise an earlier one with its key may have been. */
  readonly sent: boolean;
  readonly idempotencyKey: string;
  readonly submissionId: string | null;
  readonly reconciliation: ProblemReconciliation | null;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  /** Whether a success of the gateway began to come: the same key gets the same answer. */
  readonly answered: boolean;
}

/**
 * It is not known whether the insurer acted on a submission: the gateway does not know, its answer was lost, came too
 * late or cannot be read, or it cannot be reached to ask for an earlier call with the same key. Keep `idempotencyKey`: with it the submission can be sent again safely.
 * `cause` holds the error behind it: a ProblemError, ConnectionError or ResponseInvalidError, whose code this one has.
 */
export class OutcomeUnknownError extends GatewayError {
  declare readonly outcome: "unknown";
  /**
   * `same_key`: call again with the same input and key. `after_check`: the same call would end the same way, so ask
   * `gateway.submission()`, or put right what the message names, before another.
   */
  declare readonly retry: "same_key" | "after_check";
  declare readonly cause: GatewayError;
  /** What the submission was sent with. The gateway never sends a key twice. */
  readonly idempotencyKey: string;
  /** The id that `gateway.submission()` takes, or null when the gateway did not report one. */
  readonly submissionId: string | null;
  /** Where to find out what happened: as the gateway reported, otherwise as the endpoint declares. */
  readonly reconciliation: ProblemReconciliation | null;
  /** The status of the newest answer, or null when none came. */
  readonly status: number | null;
  /** After how many seconds to ask again, as the gateway's newest problem says; null when it does not. */
  readonly retryAfterSeconds: number | null;

  constructor(cause: GatewayError, facts: OutcomeFacts) {
    super("OutcomeUnknownError", {
      code: cause.code,
      outcome: "unknown",
      message: `${reasonOf(cause)} ${standingOf(facts)} ${adviceOf(cause, facts)}`,
      retry: isReadable(facts) || isLasting(cause) ? "after_check" : "same_key",
      provider: cause.provider,
      endpoint: cause.endpoint,
      requestId: facts.requestId,
      cause,
    });
    this.idempotencyKey = facts.idempotencyKey;
    this.submissionId = facts.submissionId;
    this.reconciliation = facts.reconciliation;
    this.status = facts.status;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }

  /** Recognises the error, also one of another copy of this package. */
  static override isInstance(value: unknown): value is OutcomeUnknownError {
    return isBranded(value, "OutcomeUnknownError");
  }

  /** What is shown of the error in JSON: with what the error behind it says of the answer. */
  override toJSON(): Readonly<Record<string, unknown>> {
    const { cause } = this;
    const { errors, status } = hasAnswer(cause) ? cause : { errors: [], status: null };
    return { ...super.toJSON(), cause: { name: cause.name, code: cause.code, status, errors } };
  }
}

function standingOf({ sent }: OutcomeFacts): string {
  return sent
    ? "The submission was sent, and the insurer may have acted."
    : "This call was not sent. It is not known whether an earlier call with its key was sent.";
}

/** What happened, in the cause's words: of a problem the first sentence, as the rest of it is advice. */
function reasonOf(cause: GatewayError): string {
  const { code, message } = cause;
  const words = message.slice(message.indexOf(`${code}. `) + code.length + 2);
  return ProblemError.isInstance(cause) ? (/^.*?[.?!](?=\s|$)/s.exec(words)?.[0] ?? words) : words;
}

function adviceOf(cause: GatewayError, facts: OutcomeFacts): string {
  const { idempotencyKey, reconciliation, retryAfterSeconds, submissionId } = facts;
  const ask = submissionId === null ? [] : [`ask gateway.submission("${submissionId}")`];
  const search =
    reconciliation?.endpoint === undefined ? [] : [`look for it with ${reconciliation.endpoint}`];
  if (isReadable(facts))
    return `Its answer is kept, and the same key gets the same one: ${[...ask, ...search].join(", or ")}.`;
  const when = retryAfterSeconds === null ? "" : ` in ${retryAfterSeconds} s`;
  const again = `all again${when} with the same input and idempotencyKey "${idempotencyKey}"`;
  const begin = isLasting(cause)
    ? `The same call would end the same way: find out why, then c${again}`
    : `C${again}`;
  return `${[begin, ...ask, ...search].join(", or ")}. The gateway never sends a key twice.`;
}

/** Whether the gateway can be asked for the success that it answered with. */
function isReadable({ answered, submissionId }: OutcomeFacts): boolean {
  return answered && submissionId !== null;
}

/**
 * Whether the same call would be answered the same way again: the gateway says so, or the answer is not the gateway's, or
 * of another version, and no passing state.
 */
function isLasting(cause: GatewayError): boolean {
  if (ProblemError.isInstance(cause))
    return cause.retry === "never" || cause.retry === "after_check";
  if (!ResponseInvalidError.isInstance(cause)) return false;
  return cause.status < 500 && ![408, 425, 429].includes(cause.status);
}

function hasAnswer(cause: GatewayError): cause is ProblemError | ResponseInvalidError {
  return ProblemError.isInstance(cause) || ResponseInvalidError.isInstance(cause);
}
