import type { ProblemCode } from "./codes.ts";

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
