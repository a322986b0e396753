import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

const once = { retries: { attempts: 1 } };

let sick: Insurer;
let well: Insurer;
let gateway: GatewayInProcess;
let time: HeldTime;
beforeEach(async () => {
  sick = await startInsurer(json(500, {}));
  well = await startInsurer(json(200, { items: [] }));
  time = holdTime();
  const providers = [
    { ...insurerConfiguration("a", well.baseUrl), ...once },
    { ...insurerConfiguration("d", sick.baseUrl), ...once },
  ];
  gateway = await startInProcess({ providers }, {}, { time });
});
afterEach(async () => {
  await gateway.stop();
  await sick.close();
  await well.close();
});

const SEARCH = "/provider-d/applications/search?clientAfm=123456789";

async function failFiveTimes(): Promise<void> {
  for (let call = 0; call < 5; call += 1)
    expect(await problemIn(await gateway.ask(SEARCH))).toMatchObject({
      code: "PROVIDER_BAD_RESPONSE",
    });
}

describe("an insurer that fails five times in a row", () => {
  beforeEach(failFiveTimes);

  it("calls to an insurer that has failed five times in a row fail at once as `not_sent` with a Retry-After", async () => {
    const response = await gateway.ask(SEARCH);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("30");
    expect(response.headers.get("proxy-status")).toBe(
      "insurance-gateway; error=destination_unavailable",
    );
    expect(await problemIn(response)).toMatchObject({
      code: "PROVIDER_UNAVAILABLE",
      outcome: "not_sent",
      retry: "safe",
    });
    expect(sick.arrivals).toHaveLength(5);
  });

  it("the failures of one insurer do not affect calls to other insurers", async () => {
    expect((await gateway.ask("/provider-a/auto/brands")).status).toBe(200);
  });

  it("the gateway tries a failed insurer with one call after thirty seconds, and sends all later calls if that call succeeds", async () => {
    sick.behaviour = json(200, { items: [], start: 1, limit: 20, total: 0 });
    time.forward(30_000);
    expect((await gateway.ask(SEARCH)).status).toBe(200);
    expect((await gateway.ask(SEARCH)).status).toBe(200);
  });

  it("the gateway sends no submission to a failed insurer, and the caller can use the idempotency key again later", async () => {
    const headers = { "idempotency-key": "d2f5a4b8" };
    const submit = (): Promise<Response> =>
      submitApplication(gateway, applicationBody("123456789"), headers);
    expect(await problemIn(await submit())).toMatchObject({
      code: "PROVIDER_UNAVAILABLE",
      outcome: "not_sent",
    });
    time.forward(60_000);
    sick.behaviour = json(422, "{}");
    await submit();
    expect(sick.arrivals.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

it("the gateway refuses a call that waits for a slot as soon as the circuit breaker opens, and the slot stays free", async () => {
  const held: (() => void)[] = [];
  sick.behaviour = (response) => void held.push(() => response.writeHead(500).end("{}"));
  const provider = {
    ...insurerConfiguration("d", sick.baseUrl),
    ...once,
    breaker: { failuresInRow: 1 },
    bulkhead: { running: 1, queued: 1, queueMs: 60_000 },
  };
  await gateway.stop();
  gateway = await startInProcess({ providers: [provider] }, {}, { time });
  const arrived = sick.nextArrival();
  const first = gateway.ask(SEARCH);
  await arrived;
  // One of these calls waits for the slot; the other is refused because the queue is full.
  const others = [gateway.ask(SEARCH), gateway.ask(SEARCH)];
  await Promise.race(others);
  held[0]?.();
  expect((await first).status).toBe(502);
  const errors = await Promise.all(
    others.map(async (other) => (await other).headers.get("proxy-status")),
  );
  expect(new Set(errors)).toEqual(
    new Set([
      "insurance-gateway; error=connection_limit_reached",
      "insurance-gateway; error=destination_unavailable",
    ]),
  );
  expect(sick.arrivals).toHaveLength(1);
  time.forward(30_000);
  sick.behaviour = json(200, { items: [], start: 1, limit: 20, total: 0 });
  expect((await gateway.ask(SEARCH)).status).toBe(200);
});

it("rejections by the insurer do not open the circuit breaker", async () => {
  sick.behaviour = (response) => {
    response.writeHead(422, { "content-type": "application/problem+json" });
    response.end(JSON.stringify({ code: "PROVIDER_REJECTED" }));
  };
  for (let call = 0; call < 30; call += 1) expect((await gateway.ask(SEARCH)).status).toBe(422);
  expect(sick.arrivals).toHaveLength(30);
});
