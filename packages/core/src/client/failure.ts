import type { Endpoint } from "../contract/endpoint.ts";
import { kindPolicies } from "../contract/kinds.ts";
import { ConnectionError, GatewayError, type Outcome, type RetryAdvice } from "../errors/index.ts";
import { nothingSent, type TransportError } from "../transport/index.ts";
import { nameOf } from "./request.ts";

/** What is certain about a call without a usable answer, and what to do about it. */
export function standingOf(
  endpoint: Endpoint,
  sent: boolean,
): { readonly outcome: Outcome; readonly retry: RetryAdvice; readonly advice: string } {
  if (!sent)
    return {
      outcome: "not_sent",
      retry: "safe",
      advice: "Nothing was sent: it is safe to try again.",
    };
  if (!kindPolicies[endpoint.kind].actsAtInsurer)
    return {
      outcome: "unknown",
      retry: "safe",
      advice: "The call changes nothing at the insurer: it is safe to try again.",
    };
  return {
    outcome: "unknown",
    retry: "same_key",
    advice: "The insurer may have acted: send it again only with the same idempotency key.",
  };
}

/** The error a caller gets for a request without an answer. */
export function connectionError(endpoint: Endpoint, error: TransportError): ConnectionError {
  const { advice, outcome, retry } = standingOf(endpoint, !nothingSent(error.phase));
  return new ConnectionError({
    code: codes[error.reason] ?? "CONNECTION_FAILED",
    outcome,
    retry,
    message: `${texts[error.reason] ?? `The connection to the gateway failed (${error.detail ?? error.phase}).`} ${advice}`,
    provider: endpoint.provider,
    endpoint: nameOf(endpoint),
  });
}

/** The error for a call that was cancelled before its next try: what is certain is what the last try left. */
export function cancelledWhileWaiting(failure: unknown): unknown {
  if (!GatewayError.isInstance(failure)) return failure;
  const { endpoint, outcome, provider, retry } = failure;
  return new ConnectionError({
    code: "CANCELLED",
    outcome,
    retry,
    message: `The call was cancelled while it waited to try again after ${failure.code}.`,
    provider,
    endpoint,
  });
}

const codes: Readonly<Record<string, string>> = { timeout: "TIMEOUT", cancelled: "CANCELLED" };

const texts: Readonly<Record<string, string>> = {
  timeout: "The gateway did not answer in time; `timeout` sets how long a call may take.",
  cancelled: "The call was cancelled.",
};
