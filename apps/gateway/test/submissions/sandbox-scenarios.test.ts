import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { holdTime } from "../harness/held-time.ts";
import { problemIn } from "../harness/problem.ts";

let gateway: GatewayInProcess;
beforeAll(async () => {
  const provider = { package: "@insurance-gateway/provider-d", upstream: "sandbox" };
  const configuration = { providers: [provider], reference: { served: false } };
  // The clock is stopped, so no reconciliation query changes an unknown outcome.
  gateway = await startInProcess(configuration, {}, { time: holdTime() });
});
afterAll(() => gateway.stop());

/** Sends an application, with a sandbox scenario and a key unless these are null. */
function submit(body: object, scenario: string | null, key: string | null): Promise<Response> {
  return submitApplication(gateway, body, {
    ...(scenario === null ? {} : { "x-sandbox-scenario": scenario }),
    ...(key === null ? {} : { "idempotency-key": key }),
  });
}

async function statusOf(answer: Response): Promise<unknown> {
  const { status }: { status?: unknown } = Object(await answer.json());
  return [answer.status, status, answer.headers.get("idempotency-replayed")];
}

it("the same application without an idempotency key is a separate submission for each sandbox scenario", async () => {
  const body = applicationBody();
  expect(await statusOf(await submit(body, null, null))).toEqual([201, "RECEIVED", null]);
  expect(await statusOf(await submit(body, "ISSUED", null))).toEqual([201, "ISSUED", null]);
  expect(await statusOf(await submit(body, "ISSUED", null))).toEqual([201, "ISSUED", "true"]);
  expect(await statusOf(await submit(body, null, null))).toEqual([201, "RECEIVED", "true"]);
});

it("the gateway refuses an idempotency key that was sent with another sandbox scenario before", async () => {
  const [body, key] = [applicationBody(), randomUUID()];
  expect(await statusOf(await submit(body, "ISSUED", key))).toEqual([201, "ISSUED", null]);
  for (const scenario of [null, "UNDER_REVIEW"])
    expect(await problemIn(await submit(body, scenario, key))).toMatchObject({
      code: "IDEMPOTENCY_KEY_REUSED",
      outcome: "not_sent",
    });
  expect(await statusOf(await submit(body, "ISSUED", key))).toEqual([201, "ISSUED", "true"]);
});

it("an open submission does not block the same content with another idempotency key and another sandbox scenario", async () => {
  const body = applicationBody();
  const unknown = await submit(body, "UNREADABLE_ANSWER", randomUUID());
  expect(await problemIn(unknown)).toMatchObject({ code: "OUTCOME_UNKNOWN" });
  const same = await submit(body, "UNREADABLE_ANSWER", randomUUID());
  expect(await problemIn(same)).toMatchObject({ code: "DUPLICATE_APPLICATION" });
  const other = await submit(body, "ISSUED", randomUUID());
  expect(await statusOf(other)).toEqual([201, "ISSUED", null]);
});
