import { fixedCredentials } from "@insurance-gateway/core/auth";
import { createApplication } from "@insurance-gateway/provider-d";
import { expect, it } from "vitest";
import type { Observation } from "../../src/events.ts";
import type { UpstreamCall } from "../../src/insurers/attempt/attempt.ts";
import { neverOpens } from "../../src/insurers/resilience/breaker.ts";
import { createBulkhead } from "../../src/insurers/resilience/bulkhead.ts";
import { createGuardedAttempt } from "../../src/insurers/resilience/guard-insurer.ts";

it("a call whose time ends as it gets its place gives the place back", async () => {
  const bulkhead = createBulkhead(() => ({ running: 1, queued: 0, queueMs: 10 }));
  const answer = { status: 201, headers: {}, content: "{}" };
  const observation: Pick<Observation, "attemptEnded" | "heldBack"> = {
    attemptEnded: () => {},
    heldBack: () => {},
  };
  const attempt = createGuardedAttempt({
    attempts: { make: async () => answer },
    breaker: neverOpens,
    credentials: fixedCredentials({
      content: { headers: {}, login: null },
      isReplaced: () => false,
    }),
    bulkhead,
    settings: {},
    logger: { error: () => {}, warn: () => {} },
    // An attempt calls these two methods only.
    observation: observation as Observation,
    observed: ({ kind }) => ({ segment: "provider-d", endpoint: "createApplication", kind }),
    timeouts: { connectMs: 1_000, totalMs: 1_000, submissionMs: 1_000 },
    maintainedMs: () => 0,
  });
  const call: UpstreamCall = {
    account: "default",
    requestId: "one",
    traceHeaders: {},
    scenario: undefined,
    waited: () => {},
    input: { params: {}, query: {}, headers: {}, body: {} },
    callerGone: null,
    submissionId: "one",
  };
  const late = attempt(createApplication, call, () => 0);
  await expect(late).rejects.toMatchObject({ code: "PROVIDER_UNAVAILABLE" });
  expect(bulkhead.running()).toBe(0);
  expect(await attempt(createApplication, call, () => 1_000)).toBe(answer);
});
