import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { startSite, taking } from "../configuration/effects.ts";
import {
  applicationBody,
  createApplicationsInsurer,
  submitApplication,
} from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { holdTime } from "../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { momentAt } from "../harness/store-samples.ts";
import { startListingGateway } from "./listing-gateway.ts";

/** Starts provider D's insurer over HTTP. */
async function startApplications(): Promise<Insurer> {
  const applications = createApplicationsInsurer();
  const insurer = await startInsurer((response, arrival) => {
    const { body, status } = applications.execute({ ...arrival, query: "" });
    json(status, body ?? "")(response, arrival);
  });
  onTestFinished(() => insurer.close());
  return insurer;
}

/** Starts a gateway with a store in which the test replaces some methods. */
async function startWithStore(
  insurer: Insurer,
  changes: (store: SubmissionStore) => Partial<SubmissionStore>,
  time = holdTime(),
): Promise<GatewayInProcess> {
  const configuration = { providers: [insurerConfiguration("d", insurer.baseUrl)] };
  const folder = makeGatewayFolder(configuration);
  const file = join(folder.path, "data", "submissions.sqlite");
  const openStore = async (): Promise<SubmissionStore> => {
    const store = await openSqliteStore({ file, mode: "serve" });
    return { ...store, ...changes(store) };
  };
  return startInProcess(configuration, {}, { time, folder, openStore });
}

describe("a process that is delayed between the claim and the sending", () => {
  it.each([
    [15_000, 201],
    [15_001, 503],
  ])(
    "the gateway does not send a submission more than 15 seconds after the claim: a delay of %i ms, status %i",
    async (milliseconds, status) => {
      const insurer = await startApplications();
      const time = holdTime();
      let isHeldUp = true;
      const gateway = await startWithStore(
        insurer,
        (store) => ({
          async claim(...parameters) {
            const claimed = await store.claim(...parameters);
            if (isHeldUp) time.forward(milliseconds);
            return claimed;
          },
        }),
        time,
      );
      onTestFinished(() => gateway.stop());
      const body = applicationBody();
      const headers = { "idempotency-key": randomUUID() };
      const response = await submitApplication(gateway, body, headers);
      expect([response.status, insurer.arrivals.length]).toEqual([status, status === 201 ? 1 : 0]);
      if (status === 201) return;
      expect(await problemIn(response)).toMatchObject({
        code: "STORE_UNAVAILABLE",
        outcome: "not_sent",
      });
      isHeldUp = false;
      const again = await submitApplication(gateway, body, headers);
      expect(again.status, "its key is free").toBe(201);
      expect(again.headers.get("idempotency-replayed")).toBeNull();
    },
  );
});

it("the caller receives reconciliation's result, as later callers do, if the insurer answers only after reconciliation", async () => {
  const gateway = await startListingGateway();
  onTestFinished(() => gateway.stop());
  const body = applicationBody();
  const headers = { "idempotency-key": randomUUID() };
  const answered = Promise.withResolvers<void>();
  const applications = createApplicationsInsurer(() => new Date(gateway.time.now()));
  const list = gateway.insurer.behaviour;
  gateway.insurer.behaviour = (response, arrival) => {
    if (arrival.method !== "POST") return list(response, arrival);
    const { body: text, status } = applications.execute({ ...arrival, query: "" });
    void answered.promise.then(() => json(status, text ?? "")(response, arrival));
  };
  const arrived = gateway.insurer.nextArrival();
  const first = submitApplication(gateway, body, headers);
  await arrived;
  // The insurer has changed the application's status since the submission.
  gateway.list = applications.records.map((record) => ({
    ...Object(Reflect.get(record, "application")),
    status: "UNDER_REVIEW",
  }));
  await gateway.pass(61_000);
  answered.resolve();
  const answer = await first;
  const text = await answer.text();
  expect(JSON.parse(text)).toMatchObject({ status: "UNDER_REVIEW" });
  expect(answer.headers.get("idempotency-replayed")).toBe("true");
  const again = await submitApplication(gateway, body, headers);
  expect(await again.text()).toBe(text);
});

it("the insurer's late answer corrects a submission that was marked as failed, and the submission is not sent again", async () => {
  const gateway = await startListingGateway();
  onTestFinished(() => gateway.stop());
  const answered = Promise.withResolvers<void>();
  const list = gateway.insurer.behaviour;
  gateway.insurer.behaviour = (response, arrival) => {
    if (arrival.method !== "POST") return list(response, arrival);
    void answered.promise.then(() => {
      const applications = createApplicationsInsurer();
      const { body: text, status } = applications.execute({ ...arrival, query: "" });
      json(status, text ?? "")(response, arrival);
    });
  };
  const [body, headers] = [applicationBody(), { "idempotency-key": randomUUID() }];
  const arrived = gateway.insurer.nextArrival();
  const first = submitApplication(gateway, body, headers);
  const { headers: sent } = await arrived;
  const address = `/submissions/${String(sent["idempotency-key"])}`;
  for (const wait of [61_000, 30_000, 120_000, 600_000]) await gateway.pass(wait);
  expect(await gateway.stateOf(address)).toBe("failed");
  answered.resolve();
  const answer = await first;
  expect(answer.status).toBe(201);
  const text = await answer.text();
  expect(await gateway.stateOf(address)).toBe("succeeded");
  for (const key of [headers, {}]) {
    const again = await submitApplication(gateway, body, key);
    expect([again.status, await again.text()]).toEqual([201, text]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  }
  const id = address.split("/").at(-1) ?? "";
  expect(await gateway.store.resolutions(id)).toMatchObject([
    { by: "insurance-gateway", from: "failed", to: "succeeded" },
  ]);
});

it("a submission stays in flight until the lease ends, 15 seconds after the submission's deadline", async () => {
  const gateway = await startListingGateway();
  onTestFinished(() => gateway.stop());
  const answered = Promise.withResolvers<void>();
  const lose = gateway.insurer.behaviour;
  gateway.insurer.behaviour = (response, arrival) =>
    void answered.promise.then(() => lose(response, arrival));
  const arrived = gateway.insurer.nextArrival();
  const first = gateway.submitInVain();
  const { headers } = await arrived;
  const address = `/submissions/${String(headers["idempotency-key"])}`;
  await gateway.time.pass(59_999);
  await gateway.store.expireLeases(gateway.time.now(), momentAt(gateway.time.now()));
  expect(await gateway.stateOf(address)).toBe("in_flight");
  await gateway.time.pass(1);
  expect(await gateway.stateOf(address)).toBe("outcome_unknown");
  answered.resolve();
  await first;
});

it("the gateway uses a connection that was idle for two seconds for other calls, but not for a submission", async () => {
  const sockets: unknown[] = [];
  const insurer = await startInsurer((response, { method }) => {
    sockets.push(response.socket);
    if (method === "POST") response.destroy();
    else response.writeHead(200, { "content-type": "application/json" }).end(NOTHING);
  });
  onTestFinished(() => insurer.close());
  const gateway = await startInProcess({ providers: [insurerConfiguration("d", insurer.baseUrl)] });
  onTestFinished(() => gateway.stop());
  const search = async (): Promise<void> => {
    const response = await gateway.ask("/provider-d/applications/search?clientAfm=123456789");
    await response.arrayBuffer();
  };
  const real = performance.now.bind(performance);
  let later = 0;
  vi.spyOn(performance, "now").mockImplementation(() => real() + later);
  onTestFinished(() => void vi.restoreAllMocks());
  await search();
  later = 2_000;
  await search();
  later = 4_000;
  await submitApplication(gateway, applicationBody());
  const [first, second, third] = sockets;
  expect([second === first, third === first]).toEqual([true, false]);
});

const NOTHING = JSON.stringify({ items: [], start: 1, limit: 20, total: 0 });

it("the gateway reports `unknown` instead of an insurer's answer that cannot be stored", async () => {
  const insurer = await startApplications();
  let isAvailable = false;
  const time = holdTime();
  const gateway = await startWithStore(
    insurer,
    (store) => ({
      async settle(settlement) {
        if (!isAvailable) throw new StoreUnavailableError("SQLITE_FULL", false);
        return store.settle(settlement);
      },
    }),
    time,
  );
  onTestFinished(() => gateway.stop());
  const [body, headers] = [applicationBody(), { "idempotency-key": randomUUID() }];
  const first = await submitApplication(gateway, body, headers);
  expect(await problemIn(first)).toMatchObject({ code: "OUTCOME_UNKNOWN", retry: "same_key" });
  isAvailable = true;
  await time.tick();
  expect((await submitApplication(gateway, body, headers)).status).toBe(201);
  expect(insurer.arrivals).toHaveLength(1);
});

it("a stopping gateway stores an answer that waits for the store before the process ends", async () => {
  const insurer = await startApplications();
  let isAvailable = false;
  let left: readonly string[] = [];
  const gateway = await startWithStore(insurer, (store) => ({
    async settle(settlement) {
      if (!isAvailable) throw new StoreUnavailableError("SQLITE_FULL", false);
      return store.settle(settlement);
    },
    async close() {
      const states = ["in_flight", "outcome_unknown", "succeeded"] as const;
      left = (await store.list(states, 10)).map(({ state }) => state);
      await store.close();
    },
  }));
  const first = await submitApplication(gateway, applicationBody());
  expect(await problemIn(first)).toMatchObject({ code: "OUTCOME_UNKNOWN" });
  isAvailable = true;
  await gateway.stop();
  expect(left).toEqual(["succeeded"]);
});

it("a stopping gateway closes the store and ends even if an answer cannot be stored", async () => {
  const insurer = await startApplications();
  let isClosed = false;
  const gateway = await startWithStore(insurer, (store) => ({
    settle: () => Promise.reject(new StoreUnavailableError("SQLITE_FULL", false)),
    async close() {
      isClosed = true;
      await store.close();
    },
  }));
  const first = await submitApplication(gateway, applicationBody());
  expect(await problemIn(first)).toMatchObject({ code: "OUTCOME_UNKNOWN" });
  await gateway.stop();
  expect(isClosed).toBe(true);
});

it("the gateway withdraws a claim that may have been written, so that the key can be sent again", async () => {
  const insurer = await startApplications();
  let isLost = true;
  const gateway = await startWithStore(insurer, (store) => ({
    async claim(...parameters) {
      const claimed = await store.claim(...parameters);
      if (isLost) throw new StoreUnavailableError("connection lost", true);
      return claimed;
    },
  }));
  onTestFinished(() => gateway.stop());
  const [body, headers] = [applicationBody(), { "idempotency-key": randomUUID() }];
  const first = await submitApplication(gateway, body, headers);
  expect(await problemIn(first)).toMatchObject({ code: "STORE_UNAVAILABLE", outcome: "not_sent" });
  expect(insurer.arrivals).toHaveLength(0);
  isLost = false;
  const again = await submitApplication(gateway, body, headers);
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, null]);
});

describe("an answer with the identifier of an earlier submission", () => {
  it("the gateway reports a duplicate for an answer with an equal submission's identifier, and `unknown` if the content differs", async () => {
    const site = await startSite({});
    onTestFinished(() => site.stop());
    const take = taking((application) => ({ ...application, applicationId: "D-1" }));
    // On a connection that was used before, the answer could be a late copy of the first answer.
    site.insurer.behaviour = (response, arrival) => {
      response.setHeader("connection", "close");
      take(response, arrival);
    };
    const body = applicationBody();
    const first = await site.submit(body, randomUUID());
    expect(first.status).toBe(201);
    const own = await site.submit(body, randomUUID());
    const token = await site.gateway.tokenFor("another broker");
    const others = await submitApplication({ address: site.gateway.address, token }, body);
    const location = first.headers.get("location");
    for (const [answer, reconciliation] of [
      [own, { href: location }],
      [others, undefined],
    ] as const) {
      const problem = await problemIn(answer);
      expect(problem).toMatchObject({ code: "DUPLICATE_APPLICATION", outcome: "rejected" });
      expect(problem.reconciliation).toEqual(reconciliation);
    }
    expect([own.headers.get("location"), others.headers.get("location")]).toEqual([location, null]);
    const unlike = await site.submit(applicationBody(), randomUUID());
    expect(await problemIn(unlike)).toMatchObject({ code: "OUTCOME_UNKNOWN", outcome: "unknown" });
  });
});
