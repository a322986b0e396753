import type { SubmissionState } from "@insurance-gateway/core/runtime";
import { Refusal } from "@insurance-gateway/core/runtime";
import { createApplication } from "@insurance-gateway/provider-d";
import { beforeEach, expect, it } from "vitest";
import { createEncryption } from "../../src/store/encryption.ts";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import { concludeAnswer, concludeRefusal } from "../../src/submissions/conclude.ts";
import type { Submission, SubmitParts } from "../../src/submissions/submission.ts";
import { clockAt, sampleSubmission } from "../harness/store-samples.ts";
import { type TestLog, writeLog } from "./written-log.ts";

let log: TestLog;
beforeEach(() => {
  log = writeLog();
});

/** State of a submission when the insurer's answer arrives, or the reason why the store does not find it. */
type Found = SubmissionState | "failed for good" | "lost" | "lost for good" | "unavailable";

const refused = new Refusal("PROVIDER_REJECTED", { detail: "No." });

/** Concludes a submission that is not open. Returns the caller's code and outcome, and the number of log lines. */
async function conclusionOf(answered: "succeeded" | "failed", found: Found) {
  const record = sampleSubmission();
  // The tested function uses no other parts of the gateway.
  const parts = {
    basePath: "",
    encryption: createEncryption([{ id: "k", secret: new Uint8Array(32) }]),
    logger: log.logger,
    recorder: { settle: async () => "not_open", restore: async () => found === "lost" },
    retention: { answerMs: 1, digestsMs: 1, sameContentMs: 1 },
    store: {
      correctFailed: async () => (found === "failed" ? "settled" : "not_open"),
      async find() {
        if (found === "unavailable") throw new StoreUnavailableError("ECONNRESET", false);
        if (found === "lost" || found === "lost for good") return null;
        const state = found === "failed for good" ? "failed" : found;
        return { ...record, state, answer: null, keyId: null, insurerId: "D-1" };
      },
    },
    clock: clockAt(() => 0),
  } as unknown as SubmitParts;
  const submission = {
    asker: "same_key",
    call: { account: "default", origin: { requestId: "r" } },
    href: "/submissions/x",
    record,
    route: { endpoint: createApplication },
  } as unknown as Submission;
  const answer = { status: 201, headers: {}, content: "{}", insurerId: "D-1" };
  const concluded = await (answered === "succeeded"
    ? concludeAnswer(parts, submission, answer)
    : concludeRefusal(parts, submission, refused)
  ).catch((error: unknown) => error);
  const lines = log.read().length;
  return concluded instanceof Refusal
    ? [concluded.code, concluded.facts.outcome, lines]
    : [Object(concluded).status, null, lines];
}

it.each<["succeeded" | "failed", Found, readonly unknown[]]>([
  ["succeeded", "succeeded", ["PROVIDER_BAD_RESPONSE", "executed", 0]],
  // The insurer acted, so the gateway corrects the failed state.
  ["succeeded", "failed", [201, null, 1]],
  ["succeeded", "failed for good", ["OUTCOME_UNKNOWN", "unknown", 1]],
  ["failed", "succeeded", ["PROVIDER_BAD_RESPONSE", "executed", 1]],
  ["failed", "failed", ["PROVIDER_REJECTED", "rejected", 0]],
  ["succeeded", "lost", [201, null, 0]],
  ["failed", "lost", ["PROVIDER_REJECTED", "rejected", 0]],
  ["succeeded", "lost for good", ["OUTCOME_UNKNOWN", "unknown", 0]],
  ["failed", "lost for good", ["OUTCOME_UNKNOWN", "unknown", 0]],
  ["succeeded", "unavailable", ["OUTCOME_UNKNOWN", "unknown", 0]],
  ["failed", "unavailable", ["OUTCOME_UNKNOWN", "unknown", 0]],
])(
  "the gateway's answer depends on the insurer's late result and on the stored state: result %s, state %s",
  async (answered, found, expected) => {
    expect(await conclusionOf(answered, found)).toEqual(expected);
  },
);
