import type { ErrorCode, Outcome, RetryAdvice } from "./problem.ts";

/** The properties of every error of a call. */
export interface ErrorFacts {
  /** The machine-readable reason. */
  readonly code: ErrorCode;
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
  /** A description of the event and of the next step, in one or two sentences. */
  readonly message: string;
  /** The message without the faults that the error lists. Default: the whole message. */
  readonly detail?: string;
  /** The id of the provider that was called; empty if the gateway itself was called. */
  readonly provider: string;
  /** The called endpoint, with its path template and without values: `POST /applications`. */
  readonly endpoint: string;
  /** The id of the request in the gateway's log; null if no answer arrived. */
  readonly requestId: string | null;
  readonly submissionId?: string | null;
  readonly insurerId?: string | null;
  /** The error that caused this error. */
  readonly cause?: GatewayError;
}

const brands = Symbol.for("insurance-gateway.errors");

/**
 * A failed call. No error contains a request body, a token or a raw answer, so the output of `console.log` and
 * `JSON.stringify` is safe for a log.
 */
export abstract class GatewayError extends Error {
  /** The machine-readable reason. `docs/errors.md` lists the known ones; a newer gateway may have more. */
  readonly code: ErrorCode;
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
  readonly provider: string;
  readonly endpoint: string;
  readonly requestId: string | null;
  /** The id of the submission for `gateway.submission()`; null if no id is known. */
  readonly submissionId: string | null;
  /** The insurer's identifier of the created item, if the insurer acted; null if unknown. */
  readonly insurerId: string | null;
  /** A description of the event and of the next step: `message` without the endpoint, the code and the faults. */
  declare readonly detail: string;

  protected constructor(name: string, facts: ErrorFacts) {
    const called = `${facts.provider} ${facts.endpoint}`.trim();
    super(
      `${called}: ${facts.code}. ${facts.message}`,
      facts.cause === undefined ? undefined : { cause: facts.cause },
    );
    Object.defineProperty(this, "name", { value: name });
    // In a log, the message already contains this text.
    Object.defineProperty(this, "detail", { value: facts.detail ?? facts.message });
    Object.defineProperty(this, brands, { value: ["GatewayError", name] });
    this.code = facts.code;
    this.outcome = facts.outcome;
    this.retry = facts.retry;
    this.provider = facts.provider;
    this.endpoint = facts.endpoint;
    this.requestId = facts.requestId;
    this.submissionId = facts.submissionId ?? null;
    this.insurerId = facts.insurerId ?? null;
  }

  /** Reports whether a value is an error of a call, even of another copy of this package, unlike `instanceof`. */
  static isInstance(value: unknown): value is GatewayError {
    return isBranded(value, "GatewayError");
  }

  /** Returns the properties of the error as JSON. */
  toJSON(): Readonly<Record<string, unknown>> {
    return { name: this.name, message: this.message, ...Object.fromEntries(Object.entries(this)) };
  }
}

/** Reports whether a value is an error with this class name, created by this or another copy of the package. */
export function isBranded(value: unknown, name: string): boolean {
  if (typeof value !== "object" || value === null || !(brands in value)) return false;
  const names = value[brands];
  return Array.isArray(names) && names.includes(name);
}
