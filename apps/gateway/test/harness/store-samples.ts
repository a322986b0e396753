import { randomBytes, randomUUID } from "node:crypto";
import type { SubmissionState } from "@insurance-gateway/core/runtime";
import type { ClaimRule, NewSubmission, Settlement } from "../../src/store/record.ts";
import type { Moment } from "../../src/store/running-time.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import type { StoreClock } from "../../src/submissions/store-clock.ts";

/** A time with many digits, all of which the store must keep. */
export const RECEIVED_AT = 1_893_456_789_123;
/** The end of a sample submission's lease. Until then, the submission's process counts as still running. */
export const LEASE_UNTIL: number = RECEIVED_AT + 60_000;

/** Returns a moment at which the clock and the running time are equal. */
export function momentAt(at: number): Moment {
  return { at, running: at };
}

/** Returns a clock for a store whose clock and running time the test determines. */
export function clockAt(now: () => number): StoreClock {
  return {
    now: () => momentAt(now()),
    count: async () => {},
    faults: () => ({ aheadMs: 0, startedBehindMs: 0 }),
  };
}

/**
 * Rule: a submission is refused while an equal submission is open, or if an equal submission has succeeded since 1970.
 */
export const ONCE: ClaimRule = { compared: true, succeededSince: 0, quota: null };
/** Rule: a submission is refused while an equal submission is open. */
export const WHILE_OPEN: ClaimRule = {
  compared: true,
  succeededSince: Number.MAX_SAFE_INTEGER,
  quota: null,
};
/** Rule: a submission is accepted even if an equal submission exists. */
export const NEVER: ClaimRule = { compared: false, succeededSince: 0, quota: null };

/** Returns a submission with random identity and the given fields. */
export function sampleSubmission(more: Partial<NewSubmission> = {}): NewSubmission {
  return {
    id: randomUUID(),
    caller: randomBytes(16),
    keyDigest: randomBytes(16),
    hasChosenKey: more.keyDigest !== null,
    contentDigest: randomBytes(16),
    matchDigest: randomBytes(16),
    searchDigest: Buffer.alloc(16, 1),
    series: "searchApplications",
    provider: "provider-d",
    segment: "motor",
    account: "default",
    endpoint: "createApplication",
    creates: true,
    receivedAt: RECEIVED_AT,
    receivedRunning: RECEIVED_AT,
    day: "2030-01-01",
    leaseUntil: LEASE_UNTIL,
    matchFields: randomBytes(120),
    keyId: "key-1",
    ...more,
  };
}

/** Returns the result of a submission. */
export function sampleSettlement(id: string, more: Partial<Settlement> = {}): Settlement {
  return {
    id,
    state: "succeeded",
    at: RECEIVED_AT + 1_000,
    running: more.at ?? RECEIVED_AT + 1_000,
    insurerId: `D-${id}`,
    unique: "provider",
    rivals: null,
    recheck: null,
    closed: false,
    answer: randomBytes(700),
    keyId: "key-1",
    answerUntil: RECEIVED_AT + 10_000,
    forgetAt: RECEIVED_AT + 20_000,
    ...more,
  };
}

/** Stores a submission that conflicts with no other submission, and gives the submission a state. */
export async function keep(
  store: SubmissionStore,
  state: SubmissionState,
  submission: NewSubmission = sampleSubmission(),
): Promise<NewSubmission> {
  const { id } = submission;
  const { claimed } = await store.claim(submission, ONCE);
  if (!claimed) throw new Error("Something stands in the way of the sample");
  if (state === "succeeded" || state === "failed")
    await store.settle(sampleSettlement(id, { state }));
  if (state === "outcome_unknown" || state === "needs_review")
    await store.markUnknown(id, momentAt(RECEIVED_AT + 500), RECEIVED_AT + 2_500);
  if (state === "needs_review") {
    const { fence = 0 } = (await store.find(id)) ?? {};
    await store.planNextQuery({ id, fence }, momentAt(RECEIVED_AT + 900), null);
  }
  return submission;
}

/** Returns a record with bytes as hexadecimal text, so that stores with different byte classes are comparable. */
export function legible(record: object | null): Readonly<Record<string, unknown>> | null {
  if (record === null) return null;
  const entries = Object.entries(record).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
  ]);
  return Object.fromEntries(entries);
}
