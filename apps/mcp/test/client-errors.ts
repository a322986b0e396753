import {
  type GatewayError,
  OutcomeUnknownError,
  type Problem,
  ProblemError,
  RequestInvalidError,
  TokenError,
} from "@insurance-gateway/core";

export const REQUEST = "2c61561a-6cf3-40f7-9306-326226775525";
export const SUBMISSION = "0b0f8f4e-2f53-4a55-9c0a-6a2f0d1c7b11";
export const called = { provider: "provider-d", endpoint: "POST /applications" };

/** Creates the error for a problem from the gateway: a rejection by the insurer, with the given changes. */
export function problem(
  more: Partial<Problem>,
  retryAfterSeconds: number | null = null,
): ProblemError {
  const rejection: Problem = {
    type: "about:blank",
    title: "T",
    status: 422,
    code: "PROVIDER_REJECTED",
    detail: "What happened.",
    requestId: REQUEST,
    provider: "provider-d",
    outcome: "rejected",
    retry: "never",
  };
  const { endpoint, provider } = called;
  return new ProblemError(endpoint, provider, { ...rejection, ...more }, retryAfterSeconds);
}

export const overloaded = (retryAfterSeconds: number | null = null): ProblemError =>
  problem(
    { code: "OVERLOADED", status: 503, outcome: "not_sent", retry: "safe" },
    retryAfterSeconds,
  );
/** Creates the error for a submission that another open submission blocks. */
export const blockedBy = (href: string): ProblemError =>
  problem({ outcome: "not_sent", retry: "after_check", reconciliation: { href } });

/** Creates the client's error for a submission of unknown outcome. */
export function unknown(
  cause: GatewayError,
  more: Partial<ConstructorParameters<typeof OutcomeUnknownError>[1]> = {},
): OutcomeUnknownError {
  return new OutcomeUnknownError(cause, {
    mayBeSent: true,
    idempotencyKey: "k-1",
    submissionId: null,
    reconciliation: null,
    status: null,
    requestId: null,
    retryAfterSeconds: null,
    askAgainAt: null,
    answered: false,
    resolve: () => Promise.reject(new TypeError("Nobody follows it")),
    ...more,
  });
}

export const errors = [
  { pointer: "/holder/afm", code: "FORMAT" as const, message: "must be 9 digits" },
];
export const invalid = new RequestInvalidError(called, errors);
export const token = new TokenError({ ...called, message: "There is no token.", retry: "safe" });
