import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SubmissionRecord } from "../../src/store/record.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { applicationBody } from "../harness/applications.ts";
import { type FaultyGateway, startFaultyGateway } from "../harness/faulty-gateway.ts";
import { NEVER, sampleSubmission } from "../harness/store-samples.ts";
import { waitTurns } from "../harness/turns.ts";

let gateway: FaultyGateway;
let body: object;
beforeEach(async () => {
  gateway = await startFaultyGateway();
  body = applicationBody();
});
afterEach(() => gateway.stop());

/** Runs `use` with the store while no gateway serves from the store. */
async function withStore<Result>(
  use: (store: SubmissionStore) => Promise<Result>,
): Promise<Result> {
  const file = join(gateway.folder.path, "data", "submissions.sqlite");
  const store = await openSqliteStore({ file, mode: "serve" });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

function recordOf(id: string): Promise<SubmissionRecord | null> {
  return withStore((store) => store.find(id));
}

/** Returns the time from a submission's unknown outcome to its next query, in milliseconds. */
async function dueAfter(id: string): Promise<number> {
  const { nextQueryAt, unknownRunning } = (await recordOf(id)) ?? {};
  return Number(nextQueryAt) - Number(unknownRunning);
}

/** Submits an application. Returns the submission's id, a function that disconnects the caller, and the answer. */
async function begin(): Promise<{
  readonly id: string;
  readonly leave: () => void;
  readonly answered: Promise<unknown>;
}> {
  const caller = new AbortController();
  const arrival = gateway.insurer.nextArrival();
  const answered = gateway
    .ask("/provider-d/applications", {
      json: body,
      headers: { "idempotency-key": randomUUID() },
      signal: caller.signal,
    })
    .catch(() => {});
  const { submissionId } = await arrival;
  return { id: submissionId ?? "", leave: () => caller.abort(), answered };
}

/** Submits an application that the insurer executes, but whose answer is lost. Returns the submission's id. */
async function loseAnswer(): Promise<string> {
  await gateway.insurer.behave("execute-then-reset");
  const { answered, id } = await begin();
  await answered;
  return id;
}

describe("a stopping gateway", () => {
  it("a stopping gateway stores the result of a submission in flight, even if the caller has disconnected", async () => {
    const release = gateway.holdAnswers();
    const { id, leave } = await begin();
    leave();
    const ended = gateway.end();
    const isOpen = (): Promise<boolean> =>
      fetch(gateway.address).then(
        () => true,
        () => false,
      );
    await expect.poll(isOpen).toBe(false);
    // Within 100 turns of the event loop, the stopping gateway has done all other work and only waits for the insurer.
    await waitTurns();
    release();
    await ended;
    expect(await recordOf(id)).toMatchObject({
      state: "succeeded",
      insurerId: gateway.records[0]?.id,
    });
  });

  it("a reconciliation query remains due if the gateway stops during the query", async () => {
    const id = await loseAnswer();
    await gateway.insurer.behave("silence");
    gateway.time.forward(2_000);
    const query = gateway.insurer.nextArrival();
    const ticked = gateway.time.tick();
    await query;
    await gateway.end();
    await ticked;
    expect(await dueAfter(id)).toBe(2_000);
  });
});

describe("a starting gateway", () => {
  it("a starting gateway marks submissions that were in flight as unknown", async () => {
    await gateway.end();
    const now = gateway.time.now();
    const submission = sampleSubmission({
      receivedAt: now,
      leaseUntil: now + 60_000,
      matchFields: null,
    });
    await withStore((store) => store.claim(submission, NEVER));
    const next = await gateway.again();
    await next.end();
    expect(await recordOf(submission.id)).toMatchObject({ state: "outcome_unknown" });
    expect(await dueAfter(submission.id)).toBe(0);
  });

  it("a starting gateway makes all planned queries due at once", async () => {
    const id = await loseAnswer();
    await gateway.insurer.behave("server-error");
    gateway.time.forward(2_000);
    await gateway.time.tick();
    gateway.time.forward(2_000);
    await gateway.end();
    expect(await dueAfter(id)).toBe(12_000);
    const next = await gateway.again();
    await next.end();
    expect(await dueAfter(id)).toBe(4_000);
  });
});
