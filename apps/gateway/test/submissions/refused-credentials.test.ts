import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { type FaultyGateway, startFaultyGateway } from "../harness/faulty-gateway.ts";
import { insurerConfiguration, startInProcess } from "../harness/gateway-in-process.ts";
import { problem, startInsurer } from "../harness/insurer.ts";
import { type ProblemBody, problemIn } from "../harness/problem.ts";

let gateway: FaultyGateway;
beforeEach(async () => {
  gateway = await startFaultyGateway();
});
afterEach(() => gateway.stop());

function submit(body = applicationBody(), key = randomUUID()): Promise<Response> {
  return submitApplication(gateway, body, { "idempotency-key": key });
}

async function refused(): Promise<ProblemBody> {
  return problemIn(await submit());
}

function arrivals(method: "GET" | "POST"): number {
  return gateway.insurer.arrivals().filter((arrival) => arrival.method === method).length;
}

describe("an insurer that refuses the gateway's credentials", () => {
  it("leaves one outcome unknown: later submissions are not sent", async () => {
    await gateway.insurer.behave("unauthorized");
    expect(await refused()).toMatchObject({ code: "OUTCOME_UNKNOWN", outcome: "unknown" });
    for (let count = 0; count < 3; count++)
      expect(await refused()).toMatchObject({
        status: 502,
        code: "PROVIDER_AUTH_FAILED",
        outcome: "not_sent",
        retry: "safe",
      });
    expect(arrivals("POST")).toBe(1);
  });

  it("is tried again with a read, once in ten seconds", async () => {
    await gateway.insurer.behave("forbidden");
    await refused();
    gateway.time.forward(10_000);
    await Promise.all([refused(), refused(), refused()]);
    expect([arrivals("GET"), arrivals("POST")]).toEqual([1, 1]);
  });

  it("is sent submissions again once a read succeeds, which also reconciles the unknown one", async () => {
    await gateway.insurer.behave("unauthorized");
    const body = applicationBody();
    const key = randomUUID();
    await submit(body, key);
    await gateway.insurer.behave(null);
    expect((await submit()).status, "too soon").toBe(502);
    gateway.time.forward(10_000);
    expect((await submit()).status).toBe(201);
    gateway.time.forward(5 * 60_000);
    await gateway.time.tick();
    expect(await problemIn(await submit(body, key))).toMatchObject({ outcome: "rejected" });
  });

  it.each([
    [401, "UNAUTHENTICATED", "rejected"],
    [403, "FORBIDDEN", "rejected"],
    [401, "FORBIDDEN", "unknown"],
    [407, "ANYTHING", "not_sent"],
  ])("that answers %i with %s leaves a submission %s", async (status, code, outcome) => {
    const insurer = await startInsurer(problem(status, code));
    onTestFinished(() => insurer.close());
    const other = await startInProcess({ providers: [insurerConfiguration("d", insurer.baseUrl)] });
    onTestFinished(() => other.stop());
    const body = applicationBody();
    expect(await problemIn(await submitApplication(other, body))).toMatchObject({ outcome });
    expect(insurer.arrivals).toHaveLength(1);
  });
});

describe("a key that was sent before", () => {
  it("is answered with its submission's state by whatever refuses the request", async () => {
    const body = applicationBody();
    const key = randomUUID();
    await gateway.insurer.behave("execute-then-reset");
    expect((await submit(body, key)).status).toBe(504);
    const send = (
      headers: Record<string, string>,
      content = JSON.stringify(body),
    ): Promise<Response> =>
      fetch(`${gateway.address}/provider-d/applications`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${gateway.token}`,
          "content-type": "application/json",
          "idempotency-key": key,
          ...headers,
        },
        body: content,
      });
    const known = { code: "OUTCOME_UNKNOWN", outcome: "unknown", retry: "same_key" };
    expect(await problemIn(await send({}, "{}"))).toMatchObject(known);
    expect(await problemIn(await send({}, "{"))).toMatchObject(known);
    expect(await problemIn(await send({ "content-type": "text/plain" }))).toMatchObject(known);
    expect(await problemIn(await send({ authorization: "Bearer a.b.c" }))).toMatchObject({
      code: "UNAUTHENTICATED",
      outcome: "unknown",
      retry: "never",
    });
    expect(await problemIn(await send({ "idempotency-key": randomUUID() }, "{}"))).toMatchObject({
      code: "VALIDATION_FAILED",
      outcome: "not_sent",
    });
    expect(arrivals("POST")).toBe(1);
  });

  it("is answered with its submission's state when its caller is over the limit", async () => {
    await gateway.stop();
    const insurer = await startInsurer((response) => response.destroy());
    onTestFinished(() => insurer.close());
    const callerLimit = { requests: 1 };
    const limited = await startInProcess({
      providers: [{ ...insurerConfiguration("d", insurer.baseUrl), callerLimit }],
    });
    onTestFinished(() => limited.stop());
    const body = applicationBody();
    const first = { "idempotency-key": randomUUID() };
    expect((await submitApplication(limited, body, first)).status).toBe(504);
    expect(await problemIn(await submitApplication(limited, body, first))).toMatchObject({
      code: "OUTCOME_UNKNOWN",
      outcome: "unknown",
    });
    const other = { "idempotency-key": randomUUID() };
    expect(await problemIn(await submitApplication(limited, body, other))).toMatchObject({
      code: "RATE_LIMITED",
      outcome: "not_sent",
    });
    gateway = await startFaultyGateway();
  });
});
