import type { Fault } from "../contract/faults.ts";
import { type ErrorFacts, GatewayError, isBranded } from "./gateway-error.ts";
import type { Problem, ProblemReconciliation } from "./problem.ts";

/** The gateway answered with a problem: it, or the insurer, did not do what was asked. */
export class ProblemError extends GatewayError {
  readonly status: number;
  /** The page that explains the code. */
  readonly type: string;
  /** Every fault of the request, when it was refused for its content; otherwise empty. */
  readonly errors: readonly Fault[];
  /** How long to wait before another try, when the gateway says so. */
  readonly retryAfterSeconds: number | null;
  /** How to find out what happened, when the outcome is unknown. */
  readonly reconciliation: ProblemReconciliation | null;
  /** The insurer's identifier of what it created, when it acted and its answer cannot be used. */
  readonly insurerId: string | null;

  constructor(
    endpoint: string,
    provider: string,
    problem: Problem,
    retryAfterSeconds: number | null,
  ) {
    const { code, outcome, retry, requestId, detail, errors = [] } = problem;
    const message = [detail, ...errors.map((fault) => `${fault.pointer} ${fault.message}.`)].join(
      " ",
    );
    super("ProblemError", { code, outcome, retry, requestId, message, endpoint, provider });
    this.status = problem.status;
    this.type = problem.type;
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
    this.reconciliation = problem.reconciliation ?? null;
    this.insurerId = problem.insurerId ?? null;
  }

  /** Recognises the error, also one of another copy of this package. */
  static override isInstance(value: unknown): value is ProblemError {
    return isBranded(value, "ProblemError");
  }
}

/** The request breaks the endpoint's declaration, so it was not sent. */
export class RequestInvalidError extends GatewayError {
  /** Every fault that was found. */
  readonly errors: readonly Fault[];

  constructor(facts: Pick<ErrorFacts, "endpoint" | "provider">, errors: readonly Fault[]) {
    const faults = errors.map((fault) => `${fault.pointer || "/"} ${fault.message}`).join("; ");
    super("RequestInvalidError", {
      ...facts,
      code: "REQUEST_INVALID",
      outcome: "not_sent",
      retry: "never",
      requestId: null,
      message: `Nothing was sent, because the request breaks the declaration: ${faults}.`,
    });
    this.errors = errors;
  }

  /** Recognises the error, also one of another copy of this package. */
  static override isInstance(value: unknown): value is RequestInvalidError {
    return isBranded(value, "RequestInvalidError");
  }
}

/** No answer came from the gateway: not reached, connection lost, deadline over, or cancelled by the caller. */
export class ConnectionError extends GatewayError {
  /** @param thrown - what a transport of the application's own threw; it becomes `cause` */
  constructor(facts: Omit<ErrorFacts, "cause">, thrown?: unknown) {
    super("ConnectionError", facts);
    // A getter, of which logs print only the name: such an error may hold parts of the request.
    if (thrown !== undefined) Object.defineProperty(this, "cause", { get: () => thrown });
  }

  /** Recognises the error, also one of another copy of this package. */
  static override isInstance(value: unknown): value is ConnectionError {
    return isBranded(value, "ConnectionError");
  }
}

/** There is no token to send: the token source failed or gave something that is no token. */
export class TokenError extends GatewayError {
  constructor(facts: Pick<ErrorFacts, "endpoint" | "provider" | "message" | "retry">) {
    super("TokenError", {
      ...facts,
      code: "TOKEN_UNAVAILABLE",
      outcome: "not_sent",
      requestId: null,
    });
  }

  /** Recognises the error, also one of another copy of this package. */
  static override isInstance(value: unknown): value is TokenError {
    return isBranded(value, "TokenError");
  }
}

/** An answer came that is not what the endpoint declares, or not the gateway's at all. */
export class ResponseInvalidError extends GatewayError {
  readonly status: number;
  /** Where the answer breaks its declaration; empty when it could not be read. */
  readonly errors: readonly Fault[];

  constructor(facts: Omit<ErrorFacts, "code">, status: number, errors: readonly Fault[]) {
    super("ResponseInvalidError", { ...facts, code: "RESPONSE_INVALID" });
    this.status = status;
    this.errors = errors;
  }

  /** Recognises the error, also one of another copy of this package. */
  static override isInstance(value: unknown): value is ResponseInvalidError {
    return isBranded(value, "ResponseInvalidError");
  }
}
