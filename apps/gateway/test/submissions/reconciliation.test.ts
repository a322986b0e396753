import { randomUUID } from "node:crypto";
import type { FaultName } from "@insurance-gateway/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { type FaultyGateway, startFaultyGateway } from "../harness/faulty-gateway.ts";
import { problemIn } from "../harness/problem.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let gateway: FaultyGateway;
let body: object;
let key: string;

beforeEach(async () => {
  gateway = await startFaultyGateway();
  body = applicationBody();
  key = randomUUID();
});
afterEach(() => gateway.stop());

function submit(application = body, itsKey = key): Promise<Response> {
  return submitApplication(gateway, application, { "idempotency-key": itsKey });
}

/**
 * Submits an application under a fault that leaves the outcome unknown. Returns the address of the submission's state.
 */
async function submitUnder(fault: FaultName, application = body, itsKey = key): Promise<string> {
  await gateway.insurer.behave(fault);
  const response = await submit(application, itsKey);
  await gateway.insurer.behave(null);
  expect(response.status).toBe(504);
  const { reconciliation } = await problemIn(response);
  return String(Reflect.get(Object(reconciliation), "href"));
}

/** Advances the time and runs the due tasks. */
async function pass(milliseconds: number): Promise<void> {
  gateway.time.forward(milliseconds);
  await gateway.time.tick();
}

async function statusOf(address: string): Promise<Record<string, unknown>> {
  const response = await gateway.ask(address);
  return { ...Object(await response.json()) };
}

function searches(): number {
  return gateway.insurer.arrivals().filter(({ method }) => method === "GET").length;
}

describe("an executed submission whose answer was lost", () => {
  it.each<FaultName>(["execute-then-reset", "execute-then-504", "garbage-success", "half-body"])(
    "the gateway finds an executed submission with the first query, and then answers a repetition with the application: %s",
    async (fault) => {
      const address = await submitUnder(fault);
      expect(await statusOf(address)).toMatchObject({ state: "outcome_unknown", answer: null });
      await pass(2_000);
      const { id } = { id: "", ...gateway.records.at(-1) };
      const now = gateway.time.now();
      expect(await statusOf(address)).toMatchObject({
        state: "succeeded",
        insurerId: id,
        receivedAt: new Date(now - 2_000).toISOString(),
        updatedAt: new Date(now).toISOString(),
      });
      const replay = await submit();
      expect(replay.status).toBe(201);
      expect(replay.headers.get("idempotency-replayed")).toBe("true");
      expect(replay.headers.get("location")).toBe(address);
      expect(await replay.json()).toMatchObject({ ...body, applicationId: id });
      expect(gateway.records).toHaveLength(1);
    },
  );

  it("the error for an unknown outcome has a `Retry-After` that ends one second after the first query", async () => {
    await gateway.insurer.behave("execute-then-reset");
    const response = await submit();
    expect(response.headers.get("retry-after")).toBe("3");
  });

  it("the gateway finds a submission with a lost answer even if an equal application belongs to another submission", async () => {
    expect((await submit(body, randomUUID())).status).toBe(201);
    const address = await submitUnder("execute-then-reset");
    await pass(2_000);
    expect(await statusOf(address)).toMatchObject({
      state: "succeeded",
      insurerId: gateway.records[1]?.id,
    });
  });

  it("the gateway finds an executed submission even after a restart", async () => {
    const address = await submitUnder("execute-then-reset");
    await gateway.end();
    const next = await gateway.again();
    await pass(2_000);
    const response = await fetch(next.address + address, {
      headers: { authorization: `Bearer ${next.token}` },
    });
    expect(await response.json()).toMatchObject({ state: "succeeded" });
    await next.end();
  });
});

describe("a submission that the insurer did not execute", () => {
  it("the gateway marks a submission as failed only after the insurer's settle time, and never sends the submission's key again", async () => {
    const address = await submitUnder("reset-after-request");
    await pass(2_000);
    await pass(30_000);
    expect(searches()).toBe(2);
    expect(await statusOf(address)).toMatchObject({ state: "outcome_unknown" });
    await pass(2 * MINUTE);
    expect(searches()).toBe(3);
    expect(await statusOf(address)).toMatchObject({ state: "outcome_unknown" });
    await pass(10 * MINUTE);
    expect(await statusOf(address)).toMatchObject({
      state: "failed",
      insurerId: null,
      answer: { status: 422, body: { code: "PROVIDER_REJECTED", outcome: "rejected" } },
    });
    const replay = await submit();
    expect(replay.status).toBe(422);
    expect(await problemIn(replay)).toMatchObject({
      retry: "never",
      requestId: expect.any(String),
    });
    expect(gateway.records).toHaveLength(0);
    expect((await submit(body, randomUUID())).status, "a new key is a new submission").toBe(201);
  });
});

describe("submissions for which a query proves nothing", () => {
  it("the gateway repeats a query until the insurer answers, and the submission does not need review before an answer", async () => {
    const address = await submitUnder("execute-then-reset");
    await gateway.insurer.behave("server-error");
    for (const wait of [2_000, 30_000, 2 * MINUTE, 10 * MINUTE, 60 * MINUTE, 6 * 60 * MINUTE]) {
      await pass(wait);
      expect(await statusOf(address)).toMatchObject({ state: "outcome_unknown" });
    }
    await pass(DAY);
    expect(searches()).toBe(7);
    await pass(365 * DAY);
    expect(await statusOf(address), "nor forgotten").toMatchObject({ state: "outcome_unknown" });
    expect((await submit()).status, "never sent again").toBe(504);
    await gateway.insurer.behave(null);
    await pass(10_000);
    expect(await statusOf(address), "once it answers").toMatchObject({ state: "succeeded" });
  });

  it("the outcomes of two equal submissions stay unknown if the insurer has only one application", async () => {
    const lost = await submitUnder("reset-after-request");
    const carriedOut = await submitUnder("execute-then-reset", otherName(body), randomUUID());
    for (const wait of [2_000, 30_000, 2 * MINUTE, 10 * MINUTE]) await pass(wait);
    for (const address of [lost, carriedOut])
      expect(await statusOf(address)).toMatchObject({ state: "outcome_unknown" });
  });

  it("two equal submissions both succeed if the insurer has two applications", async () => {
    const first = await submitUnder("execute-then-reset");
    // Only the creation times distinguish the two applications.
    await pass(1_000);
    const addresses = [
      first,
      await submitUnder("execute-then-reset", otherName(body), randomUUID()),
    ];
    for (const wait of [2_000, 30_000]) await pass(wait);
    const insurerIds = new Set<unknown>();
    for (const address of addresses) {
      const { insurerId, state } = await statusOf(address);
      expect(state).toBe("succeeded");
      insurerIds.add(insurerId);
    }
    expect(insurerIds).toEqual(new Set(gateway.records.map(({ id }) => id)));
  });

  it("the outcome stays unknown while an equal submission is in flight, because a found item may belong to either", async () => {
    const address = await submitUnder("reset-after-request");
    const release = gateway.holdAnswers();
    const arrival = gateway.insurer.nextArrival();
    const second = submit(otherName(body), randomUUID());
    await arrival;
    await pass(2_000);
    expect(await statusOf(address)).toMatchObject({ state: "outcome_unknown" });
    release();
    expect((await second).status).toBe(201);
    await pass(30_000);
    for (const minutes of [3, 10]) await pass(minutes * MINUTE);
    expect(await statusOf(address)).toMatchObject({ state: "failed" });
  });

  it("the outcome stays unknown if the customer has a newer, different item, which the insurer may have changed", async () => {
    const address = await submitUnder("reset-after-request");
    await fetch(`${gateway.insurer.baseUrl}/applications`, {
      method: "POST",
      body: JSON.stringify({ ...body, ...otherPlate(body) }),
    });
    for (const wait of [2_000, 30_000, 2 * MINUTE, 10 * MINUTE]) await pass(wait);
    expect(await statusOf(address)).toMatchObject({ state: "outcome_unknown" });
  });
});

/** Returns the same application with another name, which is not a match field. */
function otherName(application: object): object {
  const { holder } = { holder: {}, ...application };
  return { ...application, holder: { ...holder, fullName: "Μαρία Ιωάννου" } };
}

/** Returns the same application for another vehicle. */
function otherPlate(application: object): object {
  const { vehicle } = { vehicle: {}, ...application };
  return { vehicle: { ...vehicle, plateNumber: "ΑΒΓ-9999" } };
}

describe("a submission in flight after the end of its lease", () => {
  it("a submission's outcome is unknown after the end of its lease, but the insurer's late answer still concludes the submission", async () => {
    const release = gateway.holdAnswers();
    const arrival = gateway.insurer.nextArrival();
    const first = submit();
    const { submissionId } = await arrival;
    const address = `/submissions/${submissionId}`;
    expect(await statusOf(address)).toMatchObject({ state: "in_flight" });
    await gateway.time.pass(MINUTE);
    expect(await statusOf(address)).toMatchObject({ state: "outcome_unknown" });
    const again = await submit();
    expect([again.status, again.headers.get("retry-after")]).toEqual([504, "2"]);
    await gateway.insurer.behave("server-error");
    await gateway.time.tick();
    expect(await statusOf(address)).toMatchObject({ state: "outcome_unknown" });
    release();
    expect((await first).status).toBe(201);
    expect(await statusOf(address)).toMatchObject({ state: "succeeded" });
  });

  it("the caller receives the result of an earlier query instead of the insurer's late answer, so that all answers agree", async () => {
    const release = gateway.holdAnswers();
    const arrival = gateway.insurer.nextArrival();
    const first = submit();
    const { submissionId } = await arrival;
    await pass(MINUTE);
    expect(await statusOf(`/submissions/${submissionId}`)).toMatchObject({ state: "succeeded" });
    release();
    const answer = await first;
    expect(answer.status).toBe(201);
    expect(await answer.text()).toBe(await (await submit()).text());
  });
});
