import type { SameContent } from "@insurance-gateway/core/runtime";
import { createApplication } from "@insurance-gateway/provider-d";
import { expect, it } from "vitest";
import type { ProviderRoute } from "../../src/routing/route.ts";
import { createEncryption } from "../../src/store/encryption.ts";
import type { ClaimRule, NewSubmission } from "../../src/store/record.ts";
import { createDigests } from "../../src/submissions/identity.ts";
import type { SubmissionCall, SubmitParts } from "../../src/submissions/submission.ts";
import { createSubmit } from "../../src/submissions/submit.ts";
import { applicationBody } from "../harness/applications.ts";

const NOW = 1_000_000;
/** Running time of the store, in milliseconds. */
const RUNNING = 500_000;
const SUBMISSION_MS = 20_000;

/** Returns the claim that the gateway makes for a submission. */
async function claimOf(
  declared: { readonly sameContent?: SameContent },
  sameContentMs: number,
  body = applicationBody(),
): Promise<{ readonly record: NewSubmission; readonly rule: ClaimRule }> {
  const claimed = Promise.withResolvers<{ record: NewSubmission; rule: ClaimRule }>();
  const stop = new Error("claimed");
  // The test stops the submission at its claim, so the submission needs no other parts of the gateway.
  const parts = {
    basePath: "",
    days: { dayOf: () => "2026-11-23" },
    encryption: createEncryption([{ id: "k", secret: new Uint8Array(32) }]),
    identity: createDigests(new Uint8Array(32)),
    quotas: { submissionsPerDay: () => null },
    retention: { answerMs: 1, digestsMs: 1, sameContentMs },
    store: {
      async claim(record: NewSubmission, rule: ClaimRule) {
        claimed.resolve({ record, rule });
        throw stop;
      },
    },
    time: { now: () => NOW, elapsed: () => 0 },
    clock: { now: () => ({ at: NOW, running: RUNNING }) },
  } as unknown as SubmitParts;
  const route = {
    endpoint: { ...createApplication, ...declared },
    name: "createApplication",
    segment: "provider-d",
    submissionMs: SUBMISSION_MS,
    upstream: { sandbox: false },
  } as unknown as ProviderRoute;
  const call = {
    caller: { issuer: "i", subject: "s" },
    key: null,
    account: "default",
    input: { params: {}, query: {}, headers: {}, body },
    origin: { requestId: "r", traceHeaders: {}, scenario: undefined, waited: () => {} },
  } as unknown as SubmissionCall;
  await expect(createSubmit(parts)(route, call).answer).rejects.toBe(stop);
  return claimed.promise;
}

const NEVER = Number.MAX_SAFE_INTEGER;

it.each<[SameContent, number, Pick<ClaimRule, "compared" | "succeededSince">]>([
  ["once", 5_000, { compared: true, succeededSince: RUNNING - 5_000 }],
  // With the duration 0, an earlier success never prevents an equal request, even if another process's clock is ahead.
  ["once", 0, { compared: true, succeededSince: NEVER }],
  ["open", 5_000, { compared: true, succeededSince: NEVER }],
  ["none", 5_000, { compared: false, succeededSince: NEVER }],
])(
  "a claim compares a submission with earlier submissions as the endpoint declares: `sameContent: %s`, for %i ms",
  async (sameContent, sameContentMs, rule) => {
    expect((await claimOf({ sameContent }, sameContentMs)).rule).toEqual({ ...rule, quota: null });
  },
);

it("the lease of a submission ends 15 seconds after the submission's deadline", async () => {
  const { record } = await claimOf({}, 0);
  expect(record).toMatchObject({
    receivedAt: NOW,
    receivedRunning: RUNNING,
    leaseUntil: RUNNING + SUBMISSION_MS + 15_000,
    day: "2026-11-23",
    keyId: "k",
  });
});

it("two submissions have the same match digest if their match fields are equal, even if other fields differ", async () => {
  const { holder, ...body } = { holder: {}, ...applicationBody("123456789", "IKY-1234") };
  const matchDigestOf = async (more: object): Promise<unknown> => {
    const { matchDigest } = (await claimOf({}, 0, { ...body, holder, ...more })).record;
    return Buffer.from(matchDigest ?? expect.fail("It has match fields")).toString("hex");
  };
  const own = await matchDigestOf({});
  expect(await matchDigestOf({ holder: { ...holder, fullName: "Another Name" } })).toBe(own);
  expect(await matchDigestOf({ vehicle: { plateNumber: "XXX-9999" } })).not.toBe(own);
});
