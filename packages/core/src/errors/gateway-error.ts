import type { Outcome, RetryAdvice } from "./problem.ts";

/** What every error of a call has. */
export interface ErrorFacts {
  /** The machine-readable reason. */
  readonly code: string;
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
  /** What happened and what to do next, in a sentence or two. */
  readonly message: string;
  /** The id of the provider that was called; empty when the gateway itself was asked. */
  readonly provider: string;
  /** The endpoint that was called, `POST /applications`: the template, never a value. */
  readonly endpoint: string;
  /** Names the request in the gateway's log, when an answer came or began to come. */
  readonly requestId: string | null;
  /** The error behind it. */
  readonly cause?: GatewayError;
}

const brands = Symbol.for("insurance-gateway.errors");

/**
 * A call that did not succeed. No error holds or prints a request body, a token or a raw answer; what
 * `console.log` and `JSON.stringify` show of it can go into a log.
 */
export abstract class GatewayError extends Error {
  readonly code: string;
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
  readonly provider: string;
  readonly endpoint: string;
  readonly requestId: string | null;

  protected constructor(name: string, facts: ErrorFacts) {
    const called = `${facts.provider} ${facts.endpoint}`.trim();
    super(
      `${called}: ${facts.code}. ${facts.message}`,
      facts.cause === undefined ? undefined : { cause: facts.cause },
    );
    Object.defineProperty(this, "name", { value: name });
    Object.defineProperty(this, brands, { value: ["GatewayError", name] });
    this.code = facts.code;
    this.outcome = facts.outcome;
    this.retry = facts.retry;
    this.provider = facts.provider;
    this.endpoint = facts.endpoint;
    this.requestId = facts.requestId;
  }

  /** Recognises every error of a call, also one of another copy of this package, where `instanceof` does not. */
  static isInstance(value: unknown): value is GatewayError {
    return isBranded(value, "GatewayError");
  }

  /** What is shown of the error in JSON. */
  toJSON(): Readonly<Record<string, unknown>> {
    return { name: this.name, message: this.message, ...Object.fromEntries(Object.entries(this)) };
  }
}

/** Whether a value is an error of the name, of this or another copy of the package. */
export function isBranded(value: unknown, name: string): boolean {
  if (typeof value !== "object" || value === null || !(brands in value)) return false;
  const names = value[brands];
  return Array.isArray(names) && names.includes(name);
}
