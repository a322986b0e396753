import { randomUUID } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { type FaultyGateway, startFaultyGateway } from "../harness/faulty-gateway.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Behaviour, type Insurer, json, problem, startInsurer } from "../harness/insurer.ts";
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
  it("the gateway sends no further submission after the insurer has refused a submission with the status 401", async () => {
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

  it("a submission that a proxy answers with 407 has the outcome `unknown`, and is not sent again", async () => {
    const insurer = await startInsurer(json(407, {}));
    onTestFinished(() => insurer.close());
    const other = await startInProcess({ providers: [insurerConfiguration("d", insurer.baseUrl)] });
    onTestFinished(() => other.stop());
    const [first, key, second] = [applicationBody(), randomUUID(), applicationBody()];
    for (let count = 0; count < 2; count++) {
      const told = await submitApplication(other, first, { "idempotency-key": key });
      expect(await problemIn(told)).toMatchObject({ status: 504, outcome: "unknown" });
    }
    expect(await problemIn(await submitApplication(other, second))).toMatchObject({
      status: 502,
      code: "PROVIDER_AUTH_FAILED",
      outcome: "not_sent",
    });
    expect(insurer.arrivals.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  it("the gateway tries refused credentials again with a read, at most once in ten seconds", async () => {
    await gateway.insurer.behave("forbidden");
    await refused();
    for (const [later, reads] of [
      [9_999, 0],
      [1, 1],
      [9_999, 1],
    ] as const) {
      gateway.time.forward(later);
      await Promise.all([refused(), refused(), refused()]);
      expect([arrivals("GET"), arrivals("POST")]).toEqual([reads, 1]);
    }
  });

  it("the gateway resumes submissions after a successful read, and queries the insurer about the submission of unknown outcome", async () => {
    await gateway.insurer.behave("unauthorized");
    const body = applicationBody();
    const key = randomUUID();
    await submit(body, key);
    await gateway.insurer.behave(null);
    expect((await submit()).status, "too soon").toBe(502);
    gateway.time.forward(10_000);
    expect((await submit()).status).toBe(201);
    for (const minutes of [5, 10]) {
      gateway.time.forward(minutes * 60_000);
      await gateway.time.tick();
    }
    expect(await problemIn(await submit(body, key))).toMatchObject({ outcome: "rejected" });
  });

  it.each([
    [401, "UNAUTHENTICATED", "rejected"],
    [403, "FORBIDDEN", "rejected"],
    [401, "FORBIDDEN", "unknown"],
    [407, "UNAUTHENTICATED", "unknown"],
  ])(
    "a submission that is answered with the status %i and the code %s has the outcome `%s`",
    async (status, code, outcome) => {
      const insurer = await startInsurer(problem(status, code));
      onTestFinished(() => insurer.close());
      const other = await startInProcess({
        providers: [insurerConfiguration("d", insurer.baseUrl)],
      });
      onTestFinished(() => other.stop());
      const body = applicationBody();
      expect(await problemIn(await submitApplication(other, body))).toMatchObject({ outcome });
      expect(insurer.arrivals).toHaveLength(1);
    },
  );
});

describe("an insurer that has refused the credentials", () => {
  let insurer: Insurer;
  let time: HeldTime;
  let other: GatewayInProcess;
  /** The insurer's behaviour for all GET requests. */
  let read: Behaviour;
  beforeEach(async () => {
    time = holdTime();
    read = json(200, { items: [], start: 1, limit: 1, total: 0 });
    insurer = await startInsurer((response, arrival) =>
      (arrival.method === "GET" ? read : problem(401, "ANYTHING"))(response, arrival),
    );
    const providers = [insurerConfiguration("d", insurer.baseUrl)];
    other = await startInProcess({ providers }, {}, { time });
    onTestFinished(async () => {
      await other.stop();
      await insurer.close();
    });
  });

  async function codeOf(): Promise<string> {
    return (await problemIn(await submitApplication(other, applicationBody()))).code;
  }

  it("a successful read that began before the refusal does not release later submissions", async () => {
    const refusedFirst = Promise.withResolvers<void>();
    const usual = read;
    read = (response, arrival) => void refusedFirst.promise.then(() => usual(response, arrival));
    const arrived = insurer.nextArrival();
    const search = `${other.address}/provider-d/applications/search?clientAfm=123456789`;
    const headers = { authorization: `Bearer ${other.token}` };
    const searched = fetch(search, { headers });
    await arrived;
    time.forward(1);
    expect(await codeOf()).toBe("OUTCOME_UNKNOWN");
    refusedFirst.resolve();
    expect((await searched).status).toBe(200);
    expect(await codeOf()).toBe("PROVIDER_AUTH_FAILED");
    expect(insurer.arrivals.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  it.each([
    [403, 1],
    [401, 0],
  ])(
    "a refused read stops submissions only if the insurer answers with the status 401, not 403: status %i, %i sent",
    async (status, sent) => {
      read = problem(status, "ANYTHING");
      const search = `${other.address}/provider-d/applications/search?clientAfm=123456789`;
      const headers = { authorization: `Bearer ${other.token}` };
      expect((await fetch(search, { headers })).status).toBe(502);
      await codeOf();
      expect(insurer.arrivals.filter(({ method }) => method === "POST")).toHaveLength(sent);
    },
  );

  it("a read that the insurer refuses for another reason shows that the insurer accepts the credentials", async () => {
    expect(await codeOf()).toBe("OUTCOME_UNKNOWN");
    read = problem(422, "PROVIDER_REJECTED");
    time.forward(10_000);
    expect(await codeOf(), "sent").toBe("OUTCOME_UNKNOWN");
  });

  it.each([
    [0, 15_001, "PROVIDER_AUTH_FAILED"],
    [8_000, 8_000, "PROVIDER_AUTH_FAILED"],
    [5_000, 5_000, "OUTCOME_UNKNOWN"],
  ])(
    "the gateway does not send a submission if the claim and the read that tries the credentials could outlast the submission's lease: %i ms and %i ms",
    async (claimMs, readMs, code) => {
      expect(await codeOf()).toBe("OUTCOME_UNKNOWN");
      time.forward(10_000);
      const delay = (message: unknown): void => {
        if (Object(message).point === "after_claim") time.forward(claimMs);
      };
      subscribe("insurance-gateway:submission", delay);
      onTestFinished(() => void unsubscribe("insurance-gateway:submission", delay));
      const real = performance.now.bind(performance);
      const usual = read;
      read = (response, arrival) => {
        vi.spyOn(performance, "now").mockImplementation(() => real() + readMs);
        usual(response, arrival);
      };
      onTestFinished(() => void vi.restoreAllMocks());
      expect(await codeOf()).toBe(code);
    },
  );
});

describe("an idempotency key that was sent before", () => {
  it("the gateway reports `unknown` for an invalid request with an idempotency key if the record of the key cannot be read", async () => {
    const { folder, insurer, time } = gateway;
    await gateway.end();
    const file = join(folder.path, "data", "submissions.sqlite");
    const openStore = async (): Promise<SubmissionStore> => ({
      ...(await openSqliteStore({ file, mode: "serve" })),
      findByKey: () => Promise.reject(new StoreUnavailableError("ECONNREFUSED", false)),
    });
    const providers = [insurerConfiguration("d", insurer.baseUrl)];
    const unreadable = await startInProcess({ providers }, {}, { time, folder, openStore });
    onTestFinished(() => unreadable.end());
    const headers = { "idempotency-key": randomUUID() };
    expect(await problemIn(await submitApplication(unreadable, {}, headers))).toMatchObject({
      code: "VALIDATION_FAILED",
      outcome: "unknown",
      retry: "never",
    });
  });

  it("a refused request gets the state of the submission to which the request's idempotency key belongs, unless the token is invalid", async () => {
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

  it("a request over the caller's rate limit gets the state of the submission to which the request's idempotency key belongs", async () => {
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
