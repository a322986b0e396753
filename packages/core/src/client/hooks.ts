import type { GatewayError, Outcome, RetryAdvice } from "../errors/index.ts";

/** One attempt of a call, in a form that is safe for logs: without body, token, query, headers and idempotency key. */
export interface CallAttempt {
  /** The provider's id; empty for a call to the gateway itself. */
  readonly provider: string;
  /** Method and path template, without values: `POST /applications`. */
  readonly endpoint: string;
  /** Number of the attempt; 1 for the first attempt of the call. */
  readonly attempt: number;
  readonly durationMs: number;
  /** Status of the answer; null without an answer. */
  readonly status: number | null;
  /** Identifier of the request in the gateway's log; null without an answer. */
  readonly requestId: string | null;
  /** Code of the error; null if the attempt succeeded. */
  readonly code: string | null;
  /** Wait before the next attempt, in milliseconds; null if no attempt follows. */
  readonly retryInMs: number | null;
}

/** A failed call, in a form that is safe for logs: without body, token, query, headers, faults and idempotency key. */
export interface CallFailure {
  /** Class name of the error, such as `ProblemError`. */
  readonly name: string;
  readonly code: string;
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
  /** The provider's id; empty for a call to the gateway itself. */
  readonly provider: string;
  /** Method and path template, without values: `POST /applications`. */
  readonly endpoint: string;
  readonly requestId: string | null;
  readonly submissionId: string | null;
}

/** Returns the properties of an error that are safe for logs. */
export function logSafeFailure(error: GatewayError): CallFailure {
  const { code, endpoint, name, outcome, provider, requestId, retry, submissionId } = error;
  return { name, code, outcome, retry, provider, endpoint, requestId, submissionId };
}

/** Function that passes the error of a failed call to the hook `onError`, and returns the error. */
export type ReportFailure = <Failure extends GatewayError>(error: Failure) => Failure;

/** Calls a hook. An error of the hook must not change the result of a call. */
export function callHook<Event>(hook: ((event: Event) => unknown) | undefined, event: Event): void {
  if (hook !== undefined) void (async () => hook(event))().catch(() => undefined);
}
