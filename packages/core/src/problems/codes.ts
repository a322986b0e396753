import type { Outcome, RetryAdvice } from "../errors/problem.ts";
import type { ProblemCode } from "./problem-code.ts";

/** The calls to which a code's meaning applies: submissions can change something at the insurer, other calls cannot. */
export type ProblemCall = "any" | "submission" | "other";

/** The usual meaning of an error code: its status, title, outcome and advice. `rareMeanings` has other meanings. */
export interface CodeFacts {
  readonly status: number;
  readonly title: string;
  readonly call: ProblemCall;
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
}

/** Returns the facts of a code with which the gateway refuses a request. The same request would be refused again. */
const refused = (status: number, title: string): CodeFacts => ({
  status,
  title,
  call: "any",
  outcome: "not_sent",
  retry: "never",
});
/** Returns the facts of a code with which the gateway sends nothing to the insurer. A retry may succeed. */
const retryableRefusal = (status: number, title: string): CodeFacts => ({
  status,
  title,
  call: "any",
  outcome: "not_sent",
  retry: "safe",
});
/** Returns the facts of a code with which the insurer refuses a request. The same request would be refused again. */
const rejected = (status: number, title: string): CodeFacts => ({
  status,
  title,
  call: "any",
  outcome: "rejected",
  retry: "never",
});
/** Returns the facts of a code for a failed request to the insurer. The code is for calls that change nothing. */
const afterCall = (status: number, title: string): CodeFacts => ({
  status,
  title,
  call: "other",
  outcome: "unknown",
  retry: "safe",
});

/** Every code of a problem with its status; `docs/errors.md` explains them. */
export const problemCodes: Readonly<Record<ProblemCode, CodeFacts>> = {
  MALFORMED_JSON: refused(400, "The body is not JSON"),
  VALIDATION_FAILED: refused(400, "The request does not match the contract"),
  INVALID_REQUEST: refused(400, "The request cannot be understood"),
  UNAUTHENTICATED: refused(401, "A valid token is needed"),
  FORBIDDEN: refused(403, "The token does not allow it"),
  NOT_FOUND: refused(404, "There is no such route"),
  APPLICATION_NOT_FOUND: rejected(404, "The insurer has no such application"),
  SUBMISSION_NOT_FOUND: refused(404, "There is no such submission"),
  METHOD_NOT_ALLOWED: refused(405, "The route does not have this method"),
  NOT_ACCEPTABLE: refused(406, "The answer's media type is not accepted"),
  PAYLOAD_TOO_LARGE: refused(413, "The body is too large"),
  UNSUPPORTED_MEDIA_TYPE: refused(415, "The media type of the body is not supported"),
  HEADERS_TOO_LARGE: refused(431, "The address or the headers are too large"),
  SUBMISSION_IN_PROGRESS: {
    status: 409,
    title: "The submission is still running",
    call: "submission",
    outcome: "unknown",
    retry: "same_key",
  },
  DUPLICATE_APPLICATION: rejected(409, "This application exists already"),
  DOCUMENT_NOT_READY: { ...rejected(409, "The document is not ready yet"), retry: "safe" },
  IDEMPOTENCY_KEY_REUSED: refused(422, "The idempotency key belongs to another request"),
  PROVIDER_REJECTED: rejected(422, "The insurer refused the request"),
  BROKER_LIMIT_EXCEEDED: rejected(422, "The broker's limit with the insurer is used up"),
  INVALID_INPUT: rejected(422, "The insurer cannot use a value of the request"),
  RESOURCE_NOT_FOUND: rejected(404, "The insurer does not have what the request names"),
  CONFLICT: rejected(409, "The insurer's data do not allow it now"),
  NOT_ALLOWED: rejected(403, "The insurer does not allow it"),
  TOO_MANY: { ...rejected(429, "The insurer accepts no more such requests now"), retry: "safe" },
  RATE_LIMITED: retryableRefusal(429, "Too many requests"),
  INTERNAL_ERROR: retryableRefusal(500, "The gateway failed"),
  PROVIDER_BAD_RESPONSE: afterCall(502, "The insurer's answer cannot be used"),
  PROVIDER_AUTH_FAILED: {
    ...rejected(502, "The insurer refused the gateway's credentials"),
    call: "other",
  },
  PROVIDER_UNREACHABLE: retryableRefusal(502, "The insurer cannot be reached"),
  PROVIDER_UNAVAILABLE: retryableRefusal(503, "The insurer is not available"),
  OVERLOADED: retryableRefusal(503, "The gateway is overloaded"),
  STORE_UNAVAILABLE: retryableRefusal(503, "Submissions cannot be stored now"),
  AUTHENTICATION_UNAVAILABLE: retryableRefusal(503, "The token cannot be checked now"),
  PROVIDER_TIMEOUT: afterCall(504, "The insurer did not answer in time"),
  OUTCOME_UNKNOWN: {
    status: 504,
    title: "The insurer may have acted",
    call: "submission",
    outcome: "unknown",
    retry: "same_key",
  },
};

/**
 * The codes with which the gateway refuses a request without reading the record of its idempotency key. An earlier
 * request with the key may have been sent, so the outcome of a submission with a key is unknown.
 */
export const beforeTheRecord: readonly ProblemCode[] = [
  "MALFORMED_JSON",
  "VALIDATION_FAILED",
  "INVALID_REQUEST",
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "NOT_ACCEPTABLE",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "HEADERS_TOO_LARGE",
  "RATE_LIMITED",
  "AUTHENTICATION_UNAVAILABLE",
  "OVERLOADED",
  "STORE_UNAVAILABLE",
];
