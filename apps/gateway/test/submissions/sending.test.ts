import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  applicationBody,
  createApplicationsInsurer,
  submitApplication,
} from "../harness/applications.ts";
import { insurerConfiguration, startInProcess } from "../harness/gateway-in-process.ts";
import { json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { taking } from "../harness/site.ts";
import { newSendable, STORE_UNAVAILABLE } from "../harness/store-calls.ts";
import { momentAt } from "../harness/store-samples.ts";
import { startWithStore } from "./gateway-with-store.ts";
import { startListingGateway } from "./listing-gateway.ts";

describe("a process that is delayed between the claim and the sending", () => {
  it.each([
    [15_000, 0, "201"],
    [15_001, 0, STORE_UNAVAILABLE],
    [15_001, -3_600_000, STORE_UNAVAILABLE],
    // In this row, the machine sleeps: only the clock advances.
    [0, 15_001, STORE_UNAVAILABLE],
  ])(
    "the gateway does not send a submission more than 15 seconds after the claim: a delay of %i ms, a clock that jumps by %i ms",
    async (delayMs, jumpMs, expected) => {
      const gateway = await startWithStore();
      gateway.replaceStoreMethods({
        async claim(...parameters) {
          const claimed = await gateway.store.claim(...parameters);
          gateway.time.forward(delayMs);
          gateway.time.jump(jumpMs);
          return claimed;
        },
      });
      const sendable = newSendable();
      expect((await gateway.submit(sendable)).says).toBe(expected);
      expect(gateway.sent()).toHaveLength(expected === "201" ? 1 : 0);
      gateway.restoreStore();
      const again = await gateway.submit(sendable);
      expect(again).toMatchObject({ says: "201", replayed: expected === "201" });
    },
  );
});

it("the caller receives the result of the reconciliation, as later callers do, if the insurer answers only afterwards", async () => {
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

it("a submission stays in flight until its lease ends, 15 seconds after the submission's deadline", async () => {
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

it("a caller does not learn about another caller's equal submission if the insurer's answer has the identifier of that submission", async () => {
  const gateway = await startWithStore();
  const take = taking((application) => ({ ...application, applicationId: "D-1" }));
  // On a connection that was used before, the answer could be a late copy of the first answer.
  gateway.insurer.behaviour = (response, arrival) => {
    response.setHeader("connection", "close");
    take(response, arrival);
  };
  const { body, key } = newSendable();
  await gateway.submit({ body, key });
  const token = await gateway.tokenFor("another broker");
  const answer = await submitApplication({ address: gateway.address, token }, body);
  expect(answer.headers.get("location")).toBeNull();
  const problem = await problemIn(answer);
  expect(problem).toMatchObject({ code: "DUPLICATE_APPLICATION", outcome: "rejected" });
  expect(problem).not.toHaveProperty("reconciliation");
});
