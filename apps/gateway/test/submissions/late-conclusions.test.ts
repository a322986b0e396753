import { afterEach, beforeEach, expect, it } from "vitest";
import { applicationBody, listedApplication, submitApplication } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";

const HOUR_MS = 3_600_000;
const body = applicationBody();
let time: HeldTime;
let insurer: Insurer;
let gateway: GatewayInProcess;

beforeEach(async () => {
  time = holdTime();
  insurer = await startInsurer((response) => void response.destroy());
  const configuration = { providers: [insurerConfiguration("d", insurer.baseUrl)] };
  gateway = await startInProcess(configuration, {}, { time });
});
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

function sent(): number {
  return insurer.arrivals.filter(({ method }) => method === "POST").length;
}

it("the gateway does not send an equal request without an idempotency key for 24 hours after a query found the first application", async () => {
  const createdAt = new Date(time.now()).toISOString();
  const applied = listedApplication(body, {
    applicationId: "D-000001",
    createdAt,
    updatedAt: createdAt,
  });
  expect((await submitApplication(gateway, body)).status).toBe(504);
  time.forward(25 * HOUR_MS);
  insurer.behaviour = (response, arrival) =>
    arrival.method === "GET"
      ? json(200, { items: [applied], start: 1, limit: 20, total: 1 })(response, arrival)
      : json(201, { ...applied, applicationId: "D-000002" })(response, arrival);
  await time.tick();
  const again = await submitApplication(gateway, body);
  expect([again.status, again.headers.get("idempotency-replayed"), sent()]).toEqual([
    201,
    "true",
    1,
  ]);
  await time.pass(24 * HOUR_MS);
  expect((await submitApplication(gateway, body)).headers.has("idempotency-replayed")).toBe(false);
  expect(sent()).toBe(2);
});
