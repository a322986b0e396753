import { fixedCredentials } from "@insurance-gateway/core/auth";
import { createApplication } from "@insurance-gateway/provider-d";
import { expect, it } from "vitest";
import type { Observation } from "../../src/events.ts";
import type { InsurerAccess } from "../../src/insurers/insurer-access.ts";
import { neverOpeningBreaker } from "../../src/insurers/resilience/breaker.ts";
import { createBulkhead } from "../../src/insurers/resilience/bulkhead.ts";
import { guardInsurer } from "../../src/insurers/resilience/guard-insurer.ts";
import { accountCallOf, callOf } from "../harness/one-attempt.ts";

it("a call that gets a slot at the end of its time limit frees the slot and is not sent", async () => {
  const bulkhead = createBulkhead(() => ({ running: 1, queued: 0, queueMs: 10 }));
  const answer = { status: 201, headers: {}, content: "{}" };
  const observation: Pick<Observation, "attemptEnded" | "heldBack"> = {
    attemptEnded: () => {},
    heldBack: () => {},
  };
  const attempt = guardInsurer({
    breaker: neverOpeningBreaker,
    bulkhead,
    logger: { error: () => {}, warn: () => {} },
    // The guard step calls only these two methods.
    observation: observation as Observation,
    observed: ({ kind }) => ({ segment: "provider-d", endpoint: "createApplication", kind }),
    maintainedMs: () => 0,
  })(async () => answer);
  const call = accountCallOf(callOf(), {
    credentials: fixedCredentials({
      content: { headers: {}, login: null },
      isReplaced: () => false,
    }),
    // The guard step does not read the other members.
    insurer: {
      timeouts: { connectMs: 1_000, totalMs: 1_000, submissionMs: 1_000 },
    } as InsurerAccess,
  });
  const late = attempt(createApplication, { ...call, leftMs: () => 0 });
  await expect(late).rejects.toMatchObject({ code: "PROVIDER_UNAVAILABLE" });
  expect(bulkhead.running()).toBe(0);
  expect(await attempt(createApplication, { ...call, leftMs: () => 1_000 })).toBe(answer);
});
