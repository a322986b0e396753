import { ProblemError, ResponseInvalidError } from "./errors.ts";
import { GatewayError, isBranded } from "./gateway-error.ts";
import type { ProblemLookup } from "./problem.ts";

/**
 * A submission was sent, and nothing tells whether the insurer acted: the gateway does not know, or its answer was
 * lost, came too late or cannot be read. Keep `idempotencyKey`: with it the submission can be sent again safely.
 * `cause` holds the error behind it: a ProblemError, ConnectionError or ResponseInvalidError, whose code this one has.
 */
export class OutcomeUnknownError extends GatewayError {
  declare readonly outcome: "unknown";
  declare readonly retry: "same_key";
  declare readonly cause: GatewayError;
  /** What the submission was sent with. The gateway never sends a key twice. */
  readonly idempotencyKey: string;
  /** What `gateway.submission()` takes, or null when the gateway did not tell. */
  readonly submissionId: string | null;
  /** Where to find out what happened, as the gateway told or, where it did not, as the endpoint declares. */
  readonly lookup: ProblemLookup | null;
  /** The status of the gateway's answer, or null when none came. */
  readonly status: number | null;
  /** After how many seconds the gateway expects to know, when it says so. */
  readonly retryAfterSeconds: number | null;

  constructor(cause: GatewayError, idempotencyKey: string, lookup: ProblemLookup | null) {
    const submissionId = /\/submissions\/([^/]+)$/.exec(lookup?.href ?? "")?.[1] ?? null;
    const retryAfterSeconds = ProblemError.isInstance(cause) ? cause.retryAfterSeconds : null;
    super("OutcomeUnknownError", {
      code: cause.code,
      outcome: "unknown",
      retry: "same_key",
      message: advice(idempotencyKey, submissionId, lookup, retryAfterSeconds),
      provider: cause.provider,
      endpoint: cause.endpoint,
      requestId: cause.requestId,
      cause,
    });
    this.idempotencyKey = idempotencyKey;
    this.submissionId = submissionId;
    this.lookup = lookup;
    this.status =
      ProblemError.isInstance(cause) || ResponseInvalidError.isInstance(cause)
        ? cause.status
        : null;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Recognises the error, also one of another copy of this package. */
  static override isInstance(value: unknown): value is OutcomeUnknownError {
    return isBranded(value, "OutcomeUnknownError");
  }
}

function advice(
  key: string,
  submissionId: string | null,
  lookup: ProblemLookup | null,
  seconds: number | null,
): string {
  const when = seconds === null ? "" : ` in ${seconds} s`;
  const again = `Call again${when} with the same input and idempotencyKey "${key}"`;
  const ways = [
    ...(submissionId === null ? [] : [`ask gateway.submission("${submissionId}")`]),
    ...(lookup?.endpoint === undefined ? [] : [`look it up with ${lookup.endpoint}`]),
  ];
  return `The submission was sent, and the insurer may have acted. ${[again, ...ways].join(", or ")}. The gateway never sends a key twice.`;
}
