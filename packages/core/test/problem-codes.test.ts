import { expect, it } from "vitest";
import { advicesOf, problemCodes } from "../src/problems/index.ts";

/** Each line: status and code; then outcome and advice by default; for submissions; for other calls. */
const table = `
400 MALFORMED_JSON: not_sent never; not_sent never, unknown never; not_sent never
400 VALIDATION_FAILED: not_sent never; not_sent never, unknown never; not_sent never
400 INVALID_REQUEST: not_sent never; not_sent never, unknown never; not_sent never
401 UNAUTHENTICATED: not_sent never; not_sent never, unknown never; not_sent never
403 FORBIDDEN: not_sent never; not_sent never, unknown never; not_sent never
404 NOT_FOUND: not_sent never; not_sent never, unknown never; not_sent never
404 APPLICATION_NOT_FOUND: rejected never; rejected never; rejected never
404 SUBMISSION_NOT_FOUND: not_sent never; not_sent never; not_sent never
405 METHOD_NOT_ALLOWED: not_sent never; not_sent never, unknown never; not_sent never
406 NOT_ACCEPTABLE: not_sent never; not_sent never, unknown never; not_sent never, rejected never
413 PAYLOAD_TOO_LARGE: not_sent never; not_sent never, unknown never; not_sent never
415 UNSUPPORTED_MEDIA_TYPE: not_sent never; not_sent never, unknown never; not_sent never
431 HEADERS_TOO_LARGE: not_sent never; not_sent never, unknown never; not_sent never
409 SUBMISSION_IN_PROGRESS: unknown same_key; unknown same_key, unknown after_check; none
409 DUPLICATE_APPLICATION: rejected never; rejected never, not_sent after_check; rejected never
409 DOCUMENT_NOT_READY: rejected safe; rejected safe; rejected safe
422 IDEMPOTENCY_KEY_REUSED: not_sent never; not_sent never, unknown never; not_sent never
422 PROVIDER_REJECTED: rejected never; rejected never; rejected never
422 BROKER_LIMIT_EXCEEDED: rejected never; rejected never; rejected never
422 INVALID_INPUT: rejected never; rejected never, not_sent never; rejected never, not_sent never
404 RESOURCE_NOT_FOUND: rejected never; rejected never; rejected never
409 CONFLICT: rejected never; rejected never; rejected never
403 NOT_ALLOWED: rejected never; rejected never; rejected never
429 TOO_MANY: rejected safe; rejected safe; rejected safe
429 RATE_LIMITED: not_sent safe; not_sent safe, unknown same_key; not_sent safe
500 INTERNAL_ERROR: not_sent safe; not_sent safe, unknown same_key, unknown after_check; not_sent safe, unknown safe
502 PROVIDER_BAD_RESPONSE: unknown safe; executed never; unknown safe
502 PROVIDER_AUTH_FAILED: rejected never; not_sent safe, rejected safe; rejected never, not_sent safe
502 PROVIDER_UNREACHABLE: not_sent safe; not_sent safe; not_sent safe, unknown safe
503 PROVIDER_UNAVAILABLE: not_sent safe; not_sent safe, rejected safe, not_sent never; not_sent safe, rejected safe, not_sent never
503 OVERLOADED: not_sent safe; not_sent safe, unknown same_key; not_sent safe, unknown safe
503 STORE_UNAVAILABLE: not_sent safe; not_sent safe, unknown same_key, unknown after_check; not_sent safe
503 AUTHENTICATION_UNAVAILABLE: not_sent safe; not_sent safe, unknown same_key; not_sent safe
504 PROVIDER_TIMEOUT: unknown safe; none; unknown safe, not_sent safe
504 OUTCOME_UNKNOWN: unknown same_key; unknown same_key, unknown after_check; none
`;

it("each problem code has the status, the outcomes and the advice on which clients rely", () => {
  const codes = Object.entries(problemCodes).map(([code, { outcome, retry, status }]) => {
    const advices = [true, false].map((acts) =>
      // Object.entries loses the type of the codes.
      advicesOf(code as keyof typeof problemCodes, acts)
        .map((advice) => `${advice.outcome} ${advice.retry}`)
        .join(", "),
    );
    const [submission, other] = advices.map((text) => text || "none");
    return `${status} ${code}: ${outcome} ${retry}; ${submission}; ${other}`;
  });
  expect(codes).toEqual(table.trim().split("\n"));
});
