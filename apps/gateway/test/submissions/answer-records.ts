import type { Endpoint } from "@insurance-gateway/core/contract";
import type { SubmissionState } from "@insurance-gateway/core/runtime";
import { Refusal, type Repetition } from "@insurance-gateway/core/runtime";
import { expect } from "vitest";
import { createEncryption, type Encryption } from "../../src/store/encryption.ts";
import type { SubmissionRecord } from "../../src/store/record.ts";
import { answerEarlier } from "../../src/submissions/answers.ts";
import { keyNamed } from "../harness/key-named.ts";
import { RECEIVED_AT, sampleSubmission } from "../harness/store-samples.ts";

/** Time at which the gateway answers, in milliseconds since 1970. */
export const NOW: number = RECEIVED_AT + 30_000;
/** Address of the submission's state. */
export const HREF = "/broker/submissions/0b0f8f4e-2f53-4a55-9c0a-6a2f0d1c7b11";
/** Encryption with the keys `current` and `old`. */
export const encryption: Encryption = createEncryption([keyNamed("current"), keyNamed("old")]);

/** Returns a record in the given state. If the outcome is unknown, the next query is due in ten seconds. */
export function recordOf(
  state: SubmissionState,
  more: Partial<SubmissionRecord> = {},
): SubmissionRecord {
  return {
    ...sampleSubmission({ leaseUntil: NOW + 1 }),
    keyId: null,
    state,
    fence: 1,
    updatedAt: RECEIVED_AT + 1_000,
    unknownAt: null,
    unknownRunning: null,
    absentRunning: null,
    insurerId: null,
    answeredId: null,
    answer: null,
    queries: 0,
    nextQueryAt: state === "outcome_unknown" ? NOW + 10_000 : null,
    ...more,
  };
}

/** Returns the refusal of a repeated request. */
export function refusalOf(
  record: SubmissionRecord,
  asker: Repetition,
  endpoint: Endpoint,
): Refusal {
  try {
    answerEarlier(record, asker, { endpoint, href: HREF, running: NOW }, encryption);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  return expect.fail("It was answered");
}

/** Writes a refusal in one line: status, code, outcome, retry, `Retry-After` and `Location`. */
export function summaryOf(refusal: Refusal): string {
  const { code, details, facts } = refusal;
  const { "retry-after": retryAfter = "-", location = "-" } = details.headers ?? {};
  return [facts.status, code, facts.outcome, facts.retry, retryAfter, location].join(" ");
}
