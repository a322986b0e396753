import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Arrival, type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { waitTurns } from "../harness/turns.ts";

/** Applications of provider D's insurer, which loses every answer and finds an application by its reference. */
const received: { readonly reference: string; readonly application: object }[] = [];
let insurer: Insurer;
let gateway: GatewayInProcess;
let time: HeldTime;

beforeEach(async () => {
  received.length = 0;
  insurer = await startInsurer(lose);
  time = holdTime();
  const upstream = { baseUrl: insurer.baseUrl, credentials: { type: "none" } };
  const providers = [{ package: "@insurance-gateway/provider-d", upstream }];
  gateway = await startInProcess({ providers, reference: { served: false } }, {}, { time });
});
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

/** Answers queries, and accepts applications without an answer. */
function lose(response: ServerResponse, arrival: Arrival): void {
  if (arrival.method === "GET") answerQuery(response, arrival);
  else {
    receive(arrival);
    response.socket?.destroy();
  }
}

function receive({ body }: Arrival): void {
  const { externalReference, ...application } = JSON.parse(body) as { externalReference: string };
  const now = new Date(time.now()).toISOString();
  received.push({
    reference: externalReference,
    application: {
      ...application,
      applicationNumber: `D-${received.length + 1}`,
      state: "NEW",
      remarks: [],
      submittedAt: now,
      changedAt: now,
    },
  });
}

function answerQuery(response: ServerResponse, arrival: Arrival): void {
  const [, reference] = /\/by-reference\/(.+)$/.exec(arrival.url) ?? [];
  const applications = received.map(({ application }) => application).toReversed();
  const found = received.find((one) => one.reference === reference)?.application;
  if (reference === undefined)
    json(200, { applications, count: applications.length })(response, arrival);
  else if (found === undefined) json(404, { code: "MTR-4041" })(response, arrival);
  else json(200, found)(response, arrival);
}

/** Submits an application whose answer is lost, and returns the address of the submission's state. */
async function submitLost(body: object): Promise<string> {
  const response = await submitApplication(gateway, body, { "idempotency-key": randomUUID() });
  expect(response.status).toBe(504);
  const { reconciliation } = await problemIn(response);
  return String(Reflect.get(Object(reconciliation), "href"));
}

async function statusOf(address: string): Promise<unknown> {
  return (await gateway.ask(address)).json();
}

/** Returns the same application for another name, which is not a match field. */
function otherName(body: object): object {
  const { holder } = { holder: {}, ...body };
  return { ...body, holder: { ...holder, fullName: "Another Name" } };
}

/** Returns the paths of the queries, relative to the insurer's applications. */
function queries(): readonly string[] {
  return insurer.arrivals
    .filter(({ method }) => method === "GET")
    .map(({ url }) => url.replace(/^.*\/applications/, ""));
}

async function firstQuery(): Promise<void> {
  time.forward(2_000);
  await time.tick();
}

it("one query by reference finds a submission whose answer was lost", async () => {
  const address = await submitLost(applicationBody());
  await firstQuery();
  expect(await statusOf(address)).toMatchObject({
    state: "succeeded",
    insurerId: "D-1",
    answer: { status: 201 },
  });
  expect(queries()).toEqual([address.replace("/submissions", "/by-reference")]);
});

it("the query by reference distinguishes two equal submissions that the insurer's list cannot distinguish", async () => {
  const address = await submitLost(applicationBody("123456789"));
  insurer.behaviour = (response, arrival) => {
    if (arrival.method === "GET") answerQuery(response, arrival);
    else response.socket?.destroy();
  };
  const other = await submitLost(otherName(applicationBody("123456789")));
  await firstQuery();
  expect(await statusOf(address)).toMatchObject({ state: "succeeded", insurerId: "D-1" });
  expect(await statusOf(other)).toMatchObject({ state: "outcome_unknown" });
});

it("the gateway searches the customer's list if the query by reference does not find the submission", async () => {
  insurer.behaviour = (response, arrival) => {
    // The insurer loses the reference.
    const body = arrival.body.replace("externalReference", "other");
    lose(response, { ...arrival, body });
  };
  const address = await submitLost(applicationBody());
  await firstQuery();
  expect(await statusOf(address)).toMatchObject({ state: "succeeded", insurerId: "D-1" });
  expect(queries()).toEqual([
    address.replace("/submissions", "/by-reference"),
    expect.stringMatching(/^\?taxNumber=/),
  ]);
});

it("the gateway rejects an item that the reference finds if the item differs from the sent content", async () => {
  const address = await submitLost(applicationBody());
  for (const { application } of received)
    Object.assign(application, { policyholder: { taxNumber: "999999999", name: "Another" } });
  await firstQuery();
  expect(await statusOf(address)).toMatchObject({ state: "outcome_unknown" });
});

it("the rate limit of five queries per second counts queries by reference and the searches after them", async () => {
  insurer.behaviour = (response, arrival) => {
    // The insurer loses the reference.
    const body = arrival.body.replace("externalReference", "other");
    lose(response, { ...arrival, body });
  };
  for (let count = 0; count < 3; count++) await submitLost(applicationBody());
  time.forward(2_000);
  const queried = time.tick();
  await expect.poll(queries).toHaveLength(5);
  // After 100 turns of the event loop, the third search waits.
  await waitTurns();
  expect(queries()).toHaveLength(5);
  time.forward(1_000);
  await time.tick();
  await queried;
  expect(queries()).toHaveLength(6);
});
