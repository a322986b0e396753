import type { Fault } from "../contract/faults.ts";
import { type ErrorFacts, GatewayError, isBranded } from "./gateway-error.ts";
import type { Problem, ProblemReconciliation } from "./problem.ts";

/** The error for a problem that the gateway answered: the gateway or the insurer refused the call or failed. */
export class ProblemError extends GatewayError {
  readonly status: number;
  /** The address of the code's page. */
  readonly type: string;
  /** Every fault of the request if its content was refused; otherwise empty. */
  readonly errors: readonly Fault[];
  /** Seconds to wait before a retry, if the gateway reports a time. */
  readonly retryAfterSeconds: number | null;
  /** How to find out what happened, if the outcome is unknown. */
  readonly reconciliation: ProblemReconciliation | null;

  constructor(
    endpoint: string,
    provider: string,
    problem: Problem,
    retryAfterSeconds: number | null,
  ) {
    const { code, outcome, retry, requestId, detail, insurerId = null, errors = [] } = problem;
    const message = withFaults(detail, errors) + linkTo(problem.type);
    const facts = { code, outcome, retry, requestId, message, detail, insurerId };
    super("ProblemError", { ...facts, endpoint, provider });
    this.status = problem.status;
    this.type = problem.type;
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
    this.reconciliation = problem.reconciliation ?? null;
  }

  /** Reports whether a value is an error of this class, even if another copy of this package created the error. */
  static override isInstance(value: unknown): value is ProblemError {
    return isBranded(value, "ProblemError");
  }
}

/** The submission of an earlier call that had the same key as the invalid request. */
export interface EarlierSubmission {
  readonly outcome: "rejected" | "executed";
  readonly submissionId: string;
  readonly insurerId: string | null;
}

/**
 * The error for a request that violates the endpoint's declaration and was not sent. If an earlier call with the same
 * key made a submission, `outcome`, `submissionId` and `insurerId` describe the earlier submission.
 */
export class RequestInvalidError extends GatewayError {
  /** Every fault that was found. */
  readonly errors: readonly Fault[];

  constructor(
    facts: Pick<ErrorFacts, "endpoint" | "provider">,
    errors: readonly Fault[],
    earlier: EarlierSubmission | null = null,
  ) {
    const faults = errors.map((fault) => `${fault.pointer || "/"} ${fault.message}`).join("; ");
    const ending = `It was not sent.${earlierInWords(earlier)}`;
    super("RequestInvalidError", {
      ...facts,
      code: "REQUEST_INVALID",
      outcome: earlier?.outcome ?? "not_sent",
      retry: "never",
      requestId: null,
      submissionId: earlier?.submissionId ?? null,
      insurerId: earlier?.insurerId ?? null,
      message: `The request breaks the declaration: ${faults}. ${ending}`,
      detail: `The request breaks the declaration. ${ending}`,
    });
    this.errors = errors;
  }

  /** Reports whether a value is an error of this class, even if another copy of this package created the error. */
  static override isInstance(value: unknown): value is RequestInvalidError {
    return isBranded(value, "RequestInvalidError");
  }
}

function earlierInWords(earlier: EarlierSubmission | null): string {
  if (earlier === null) return "";
  const ended = earlier.outcome === "executed" ? "carried out" : "refused by the insurer";
  return ` An earlier submission with the same key was ${ended}: ask gateway.submission("${earlier.submissionId}").`;
}

/**
 * The error of a call without an answer: the gateway was unreachable, the connection broke, or the call timed out or
 * was cancelled.
 */
export class ConnectionError extends GatewayError {
  /**
   * @param thrown - the value for `cause`: the reason of the application's signal, or the error of the application's
   *   own transport
   */
  constructor(facts: Omit<ErrorFacts, "cause">, thrown?: unknown) {
    super("ConnectionError", facts);
    // `cause` is a getter, because logs do not print the value of a getter: the error may contain parts of the request.
    if (thrown !== undefined) Object.defineProperty(this, "cause", { get: () => thrown });
  }

  /** Reports whether a value is an error of this class, even if another copy of this package created the error. */
  static override isInstance(value: unknown): value is ConnectionError {
    return isBranded(value, "ConnectionError");
  }
}

/** The error for a missing token: the token source failed or returned an invalid token. */
export class TokenError extends GatewayError {
  constructor(facts: Pick<ErrorFacts, "endpoint" | "provider" | "message" | "retry">) {
    super("TokenError", {
      ...facts,
      code: "TOKEN_UNAVAILABLE",
      outcome: "not_sent",
      requestId: null,
    });
  }

  /** Reports whether a value is an error of this class, even if another copy of this package created the error. */
  static override isInstance(value: unknown): value is TokenError {
    return isBranded(value, "TokenError");
  }
}

/** The error for an answer that does not match the endpoint's declaration, or that is not from the gateway. */
export class ResponseInvalidError extends GatewayError {
  readonly status: number;
  /** The places where the answer violates its declaration; empty if the answer could not be parsed. */
  readonly errors: readonly Fault[];

  constructor(facts: Omit<ErrorFacts, "code">, status: number, errors: readonly Fault[]) {
    const { message: detail } = facts;
    const message = withFaults(detail, errors);
    super("ResponseInvalidError", { ...facts, message, detail, code: "RESPONSE_INVALID" });
    this.status = status;
    this.errors = errors;
  }

  /** Reports whether a value is an error of this class, even if another copy of this package created the error. */
  static override isInstance(value: unknown): value is ResponseInvalidError {
    return isBranded(value, "ResponseInvalidError");
  }
}

/**
 * Returns the end of a message: the address of the error code's page, which a developer can open from a terminal. A
 * full stop would become part of the link, so there is none. If `type` is no such address, the result is empty, because
 * a message contains no unknown text.
 */
export function linkTo(type: string): string {
  return /^https?:\/\/[\x21-\x7e]{1,500}\/reference\/errors\/[A-Z_]+$/.test(type)
    ? ` See ${type}`
    : "";
}

/** Maximum of faults that a message names. A list can have thousands of wrong items; `errors` has all of them. */
const MOST_NAMED = 5;

/** Returns a text followed by the faults in words. */
export function withFaults(detail: string, errors: readonly Fault[]): string {
  const named = errors
    .slice(0, MOST_NAMED)
    .map(({ message, pointer }) => `${pointer || "/"} ${message}.`);
  const more = errors.length - named.length;
  return [detail, ...named, ...(more > 0 ? [`${more} more faults are in \`errors\`.`] : [])].join(
    " ",
  );
}
