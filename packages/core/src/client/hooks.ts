import type { GatewayError, Outcome, RetryAdvice } from "../errors/index.ts";

/** One attempt of a call, as a log may have it: without body, token, query, headers and idempotency key. */
export interface CallAttempt {
  /** The provider's id; empty if the gateway itself was called. */
  readonly provider: string;
  /** The method and the path template, with no value: `POST /applications`. */
  readonly endpoint: string;
  /** 1 for the first attempt of the call. */
  readonly attempt: number;
  readonly durationMs: number;
  /** Null if there was no answer. */
  readonly status: number | null;
  /** Identifies the request in the gateway's log; null if there was no answer. */
  readonly requestId: string | null;
  /** The code of the error; null if the attempt succeeded. */
  readonly code: string | null;
  /** How long the call waits before the next attempt, in milliseconds; null if this was the last one. */
  readonly retryInMs: number | null;
}

/** A failed call, as a log may have it: without body, token, query, headers, faults and idempotency key. */
export interface CallFailure {
  /** The class of the error, such as `ProblemError`. */
  readonly name: string;
  readonly code: string;
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
  /** The provider's id; empty if the gateway itself was called. */
  readonly provider: string;
  /** The method and the path template, with no value: `POST /applications`. */
  readonly endpoint: string;
  readonly requestId: string | null;
  readonly submissionId: string | null;
}

/** Returns the properties of an error that a log may have. */
export function failureView(error: GatewayError): CallFailure {
  const { code, endpoint, name, outcome, provider, requestId, retry, submissionId } = error;
  return { name, code, outcome, retry, provider, endpoint, requestId, submissionId };
}

/** Reports a failed call to the application's hook, and returns its error. */
export type Report = <Failure extends GatewayError>(error: Failure) => Failure;

/** Calls a hook. A fault of the application's log must not change the result of a call. */
export function callHook<Event>(hook: ((event: Event) => unknown) | undefined, event: Event): void {
  if (hook !== undefined) void (async () => hook(event))().catch(() => undefined);
}
