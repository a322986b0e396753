import { randomBytes, randomUUID } from "node:crypto";
import type { SubmissionState } from "@insurance-gateway/core/runtime";
import type { ClaimRule, NewSubmission, Settlement } from "../../src/store/record.ts";
import type { Moment } from "../../src/store/running-time.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import type { StoreClock } from "../../src/submissions/store-clock.ts";

/** An instant with every digit that the store has to keep. */
export const RECEIVED_AT = 1_893_456_789_123;
/** Until then a sample's process is believed to be at it. */
export const LEASE_UNTIL: number = RECEIVED_AT + 60_000;

/** A moment at which the clock and the running time are the same. */
export function momentAt(at: number): Moment {
  return { at, running: at };
}

/** The clock of a store whose clock and running time are those of a test. */
export function clockAt(now: () => number): StoreClock {
  return {
    now: () => momentAt(now()),
    count: async () => {},
    faults: () => ({ aheadMs: 0, startedBehindMs: 0 }),
  };
}

/** Equal submissions exclude each other while one is open, or has succeeded since 1970. */
export const ONCE: ClaimRule = { compared: true, succeededSince: 0, quota: null };
/** Equal submissions exclude each other while one is open. */
export const WHILE_OPEN: ClaimRule = {
  compared: true,
  succeededSince: Number.MAX_SAFE_INTEGER,
  quota: null,
};
/** Equal submissions are usual. */
export const NEVER: ClaimRule = { compared: false, succeededSince: 0, quota: null };

/** A submission like no other, but for what is given. */
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

/** The end of a submission. */
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

/** Claims a submission without a conflict, and brings it to a state. */
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

/** A record with its bytes as text, so that it does not matter which class of bytes a store gives. */
export function legible(record: object | null): Readonly<Record<string, unknown>> | null {
  if (record === null) return null;
  const entries = Object.entries(record).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
  ]);
  return Object.fromEntries(entries);
}
