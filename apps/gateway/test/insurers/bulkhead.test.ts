import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

const LOOKUP = "/provider-a/auto/brands";
const DOCUMENT = "/provider-c/application/ipid?applicationId=C-0001";
const HALF_A_PDF = "%PDF-1.7 and so on";

let held: ServerResponse[];
let insurer: Insurer;
let gateway: GatewayInProcess;
beforeEach(async () => {
  held = [];
  insurer = await startInsurer((response) => void held.push(response));
  const bulkhead = { running: 1, queued: 1, queueMs: 60_000 };
  const providers = ["a", "c"].map((letter) => ({
    ...insurerConfiguration(letter, insurer.baseUrl),
    bulkhead,
  }));
  gateway = await startInProcess({ providers });
});
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

function ask(path: string, signal?: AbortSignal): Promise<Response> {
  return gateway.ask(path, { signal });
}

function answer(response: ServerResponse | undefined): void {
  response?.writeHead(200, { "content-type": "application/json" }).end('{"items":[]}');
}

it("the gateway runs one call, queues a second and refuses a third if the insurer has one slot and one place in the queue", async () => {
  const arrived = insurer.nextArrival();
  const running = ask(LOOKUP);
  await arrived;
  // One of these calls waits and the other is refused; the order does not matter.
  const others = [ask(LOOKUP), ask(LOOKUP)];
  const refused = await Promise.race(others);
  expect(refused.headers.get("proxy-status")).toBe(
    "insurance-gateway; error=connection_limit_reached",
  );
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await problemIn(refused)).toMatchObject({
    code: "PROVIDER_UNAVAILABLE",
    outcome: "not_sent",
    retry: "safe",
  });
  const second = insurer.nextArrival();
  answer(held[0]);
  expect((await running).status).toBe(200);
  await second;
  answer(held[1]);
  const statuses = await Promise.all(others.map(async (other) => (await other).status));
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  expect(insurer.arrivals).toHaveLength(2);
});

it("a document uses its slot until its last byte has arrived", async () => {
  const arrived = insurer.nextArrival();
  const asked = ask(DOCUMENT);
  await arrived;
  held[0]?.writeHead(200, { "content-type": "application/pdf" }).write(HALF_A_PDF);
  const document = await asked;
  expect(document.status).toBe(200);
  const usages = "/provider-c/vehicle/usages";
  // One of these calls waits for the slot, so that the other call is refused.
  const others = [ask(usages), ask(usages)];
  expect((await Promise.race(others)).status).toBe(503);
  expect(insurer.arrivals).toHaveLength(1);
  const afterwards = insurer.nextArrival();
  held[0]?.end();
  await document.arrayBuffer();
  await afterwards;
  answer(held[1]);
  const statuses = await Promise.all(others.map(async (other) => (await other).status));
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
});

it("a caller's disconnect frees the slot of the call and closes the call's connection to the insurer", async () => {
  for (const path of [LOOKUP, DOCUMENT]) {
    const leaving = new AbortController();
    const arrived = insurer.nextArrival();
    const left = ask(path, leaving.signal).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    );
    await arrived;
    const response = held.at(-1);
    const closed = new Promise((resolve) => response?.once("close", resolve));
    if (path === DOCUMENT)
      response?.writeHead(200, { "content-type": "application/pdf" }).write(HALF_A_PDF);
    leaving.abort();
    await left.catch(() => undefined);
    await closed;
    const again = insurer.nextArrival();
    const next = ask(path === LOOKUP ? LOOKUP : "/provider-c/vehicle/usages");
    await again;
    answer(held.at(-1));
    expect((await next).status).toBe(200);
  }
});
