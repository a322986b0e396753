import { CredentialsError, type CredentialsFault } from "@insurance-gateway/core/auth";
import {
  credentialsMissing,
  isOfCredentials,
  oldCredentialsRefusal,
  Refusal,
  type RefusalDetails,
} from "@insurance-gateway/core/runtime";
import { expect, it } from "vitest";

it.each<[ConstructorParameters<typeof Refusal>[0], Partial<RefusalDetails>, boolean]>([
  ["PROVIDER_AUTH_FAILED", {}, true],
  ["OUTCOME_UNKNOWN", { attempt: "credentials_refused" }, true],
  ["OUTCOME_UNKNOWN", { attempt: "unusable" }, false],
  ["PROVIDER_UNREACHABLE", { reason: "credentials_crowded" }, true],
  ["PROVIDER_UNREACHABLE", { reason: "connection_refused" }, false],
  ["PROVIDER_UNREACHABLE", {}, false],
])(
  "the gateway recognises whether the account's credentials caused an error: %s with %j, %s",
  (code, details, expected) => {
    expect(isOfCredentials(new Refusal(code, { detail: "", ...details }))).toBe(expected);
  },
);

it.each<[CredentialsFault, string]>([
  ["refused", "PROVIDER_AUTH_FAILED"],
  ["unreachable", "PROVIDER_UNREACHABLE"],
  ["unusable", "PROVIDER_UNREACHABLE"],
  ["crowded", "PROVIDER_UNREACHABLE"],
  ["cancelled", "PROVIDER_UNREACHABLE"],
])(
  "a call fails as `not_sent` if the gateway cannot obtain credentials for the call: %s is reported as %s",
  (fault, code) => {
    const refusal = credentialsMissing(new CredentialsError(fault).fault);
    expect([refusal.code, refusal.facts.outcome, refusal.facts.retry]).toEqual([
      code,
      "not_sent",
      "safe",
    ]);
    expect(refusal.details.reason).toBe(`credentials_${fault}`);
    expect(refusal.details.attempt).toBeUndefined();
    expect(isOfCredentials(refusal)).toBe(true);
  },
);

it("a submission that the gateway does not send because of refused credentials fails as `not_sent`", () => {
  const refusal = oldCredentialsRefusal();
  expect([refusal.code, refusal.facts.outcome, refusal.facts.retry]).toEqual([
    "PROVIDER_AUTH_FAILED",
    "not_sent",
    "safe",
  ]);
  expect(refusal.details).toMatchObject({ reason: "credentials_refused" });
});
