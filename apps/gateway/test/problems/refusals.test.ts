import { problemOf, Refusal, refusalOf } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";

const place = {
  requestId: "id-1",
  provider: "provider-d",
  pages: "https://gateway.example/insurance/reference/errors/",
};

describe("thrown errors", () => {
  const ownFault = {
    code: "INTERNAL_ERROR",
    detail:
      "The gateway failed. Try again later. If the error persists, give the operator the requestId.",
  };
  it.each([
    // Some libraries throw errors with a status. This status does not describe the caller's request.
    [{ statusCode: 400 }, ownFault],
    [new TypeError("words"), ownFault],
    ["words", ownFault],
    [null, ownFault],
  ])(
    "the gateway's refusal after an internal error contains no part of the thrown value %j",
    (error, expected) => {
      const { code, details } = refusalOf(error);
      expect({ code, ...details }).toEqual(expected);
    },
  );

  it("a refusal has the thrown error as its cause only if the error is a fault of the gateway", () => {
    const error = new TypeError("words");
    expect(refusalOf(error).cause).toBe(error);
    const refusal = new Refusal("NOT_FOUND", { detail: "Nothing." });
    expect(refusalOf(refusal)).toBe(refusal);
  });
});

describe("the problem of a refusal", () => {
  it("a problem has the standard values of the problem's code, and omits fields without a value", () => {
    const refusal = new Refusal("VALIDATION_FAILED", { detail: "Two fields are wrong." });
    expect(problemOf(refusal, place)).toEqual({
      type: "https://gateway.example/insurance/reference/errors/VALIDATION_FAILED",
      title: expect.stringMatching(/^\w/),
      status: 400,
      code: "VALIDATION_FAILED",
      detail: "Two fields are wrong.",
      requestId: "id-1",
      provider: "provider-d",
      outcome: "not_sent",
      retry: "never",
    });
  });

  it("a problem has the values of the refusal in place of the standard values of the problem's code", () => {
    const errors = [{ pointer: "/a", code: "REQUIRED", message: "is required" }] as const;
    const reconciliation = { submissionId: "s", statusUrl: "/submissions/s" };
    const refusal = new Refusal("PROVIDER_UNAVAILABLE", {
      detail: "Later.",
      errors,
      // A refusal returns any value unchanged.
      reconciliation: reconciliation as never,
      insurerId: "D-1",
      outcome: "executed",
      retry: "never",
      reason: "breaker",
    });
    expect(problemOf(refusal, place)).toMatchObject({
      outcome: "executed",
      retry: "never",
      errors,
      reconciliation,
      insurerId: "D-1",
    });
    expect(problemOf(refusal, place)).not.toHaveProperty("reason");
  });
});

it("the error for a refusal has no stack trace, unlike other errors", () => {
  const { stackTraceLimit } = Error;
  const refusal = new Refusal("NOT_FOUND", { detail: "Nothing." });
  expect(Error.stackTraceLimit).toBe(stackTraceLimit);
  expect([refusal.message, refusal.stack]).toEqual([
    "NOT_FOUND: Nothing.",
    "Error: NOT_FOUND: Nothing.",
  ]);
});
