import type { Endpoint } from "../contract/endpoint.ts";
import { actsAtInsurer } from "../contract/kinds.ts";
import { isOwnShortage, nothingSent, type TransportError } from "../transport/transport.ts";
import { type AttemptFacts, outcomeUnknown } from "./outcome-unknown.ts";
import { proxyErrorOf, proxyStatus } from "./proxy-status.ts";
import { type AttemptResult, INTERNAL_ERROR_DETAIL, Refusal } from "./refusal.ts";
import { retryAfterOf } from "./retry-after-header.ts";

/** The code of an answer that the gateway cannot read because of its Content-Encoding. */
export const ENCODED_ANSWER = "CONTENT_ENCODING";

/** Returns the refusal for a request without an answer, depending on the phase that the request reached. */
export function refusalOfFailure(endpoint: Endpoint, error: TransportError): Refusal {
  const proxyError = proxyErrorOf(error);
  const observed: AttemptFacts = {
    headers: proxyStatus({ error: proxyError }),
    attempt: attemptResults[error.reason],
    ...(proxyError === null ? {} : { reason: proxyError }),
    ...(error.detail === ENCODED_ANSWER ? { reason: "content_encoding" } : {}),
  };
  if (nothingSent(error.phase)) return refusalWithoutConnection(endpoint, error, observed);
  if (actsAtInsurer(endpoint)) return outcomeUnknown(endpoint, observed);
  if (error.reason === "timeout")
    return new Refusal("PROVIDER_TIMEOUT", {
      detail: "The insurer did not answer in time; try again.",
      ...observed,
    });
  if (error.reason === "too_large" || error.reason === "unreadable")
    return new Refusal("PROVIDER_BAD_RESPONSE", {
      detail:
        error.detail === ENCODED_ANSWER
          ? "The insurer's answer has a Content-Encoding, although the gateway asked for none."
          : "The insurer's answer is too large or not text.",
      ...observed,
    });
  return new Refusal("PROVIDER_UNREACHABLE", {
    detail: "The connection to the insurer broke; the call changes nothing there, so try again.",
    outcome: "unknown",
    ...observed,
  });
}

/** The effect of a failed exchange on the insurer's health, by the reason of the failure. */
export const attemptResults: Readonly<Record<TransportError["reason"], AttemptResult>> = {
  failed: "failed",
  timeout: "failed",
  cancelled: "cancelled",
  // An insurer that sends a body larger than the limit did answer.
  too_large: "unusable",
  unreadable: "unusable",
};

/**
 * Returns the refusal for a request that reached no connection. PROVIDER_TIMEOUT (504) would mean that the insurer may
 * have acted, so a submission gets PROVIDER_UNREACHABLE.
 */
function refusalWithoutConnection(
  endpoint: Endpoint,
  error: TransportError,
  observed: AttemptFacts,
): Refusal {
  if (isOwnShortage(error)) return ownShortage();
  const detail = `No connection to the insurer could be made (${error.phase}); nothing was sent.`;
  const isTimeout = proxyErrorOf(error)?.endsWith("timeout") === true && !actsAtInsurer(endpoint);
  return isTimeout
    ? new Refusal("PROVIDER_TIMEOUT", { ...observed, detail, outcome: "not_sent" })
    : new Refusal("PROVIDER_UNREACHABLE", { ...observed, detail });
}

/** Returns the refusal if the gateway's machine lacks resources for a connection, which is not the insurer's fault. */
export function ownShortage(): Refusal {
  return new Refusal("OVERLOADED", {
    detail:
      "The gateway has no file descriptor or port left for a connection to the insurer; nothing was sent. Try again later.",
    outcome: "not_sent",
    retry: "safe",
    reason: "no_descriptors",
    headers: { "retry-after": retryAfterOf(null) },
  });
}

/** Returns the refusal for an error of the gateway itself after the request may have been sent. */
export function refusalOfOwnFault(endpoint: Endpoint, error: unknown): Refusal {
  return actsAtInsurer(endpoint)
    ? outcomeUnknown(endpoint, {}, error)
    : new Refusal("INTERNAL_ERROR", { detail: INTERNAL_ERROR_DETAIL, outcome: "unknown" }, error);
}
