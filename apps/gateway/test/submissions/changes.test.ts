import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import type { GatewayInProcess } from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { startWithProvider } from "./installed-provider.ts";

/**
 * Provider package that creates and changes policies. The insurer's list omits a field that the answer to a new policy
 * has.
 */
const PACKAGE = `
import { defineProvider, none, search, submission } from "@insurance-gateway/core/contract";
import { loose, pageQuery, strict } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
const provider = "provider-m";
const params = strict({ policyId: z.string() });
const body = strict({ customer: z.string(), colour: z.string() });
const listed = { policyId: z.string(), customer: z.string(), colour: z.string(), changedAt: z.string() };
const declared = {
  provider,
  body,
  insurerId: "/policyId",
  same: ["/colour"],
  closedWhen: { at: "/status", is: ["DECLINED"] },
};
const created = {
  ...declared,
  idempotency: "reconcile",
  reconcile: {
    endpoint: "searchPolicies",
    parameters: { customer: { from: "/customer" } },
    createdAt: "/changedAt",
  },
  settleAfterMs: 60000,
};
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints: {
    createPolicy: submission({ ...created, path: "/policies", response: { 200: none, 201: loose({ ...listed, premium: z.number() }), 202: loose({ queued: z.boolean() }) } }),
    changePolicy: submission({ ...declared, method: "PUT", path: "/policies/{policyId}", params, idempotency: "none", response: { 200: loose(listed) } }),
    searchPolicies: search({ provider, path: "/policies", query: strict({ customer: z.string(), ...pageQuery() }), item: loose(listed) }),
  },
});`;

let time: HeldTime;
let gateway: GatewayInProcess;
let insurer: Insurer;
/** The insurer's policies. A search returns the policies of the requested customer. */
let list: readonly object[] = [];
beforeAll(async () => {
  time = holdTime();
  insurer = await startInsurer((response) => void response.destroy());
  gateway = await startWithProvider(PACKAGE, insurer.baseUrl, { time });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

let count = 0;
let customer = "";
beforeEach(() => {
  count += 1;
  customer = `C-${count}`;
  list = [];
});

function policy(colour: string, more: object = {}): object {
  const changedAt = new Date(time.now()).toISOString();
  return { policyId: `P-${customer}`, customer, colour, changedAt, premium: 100, ...more };
}

/**
 * Submits a new policy or a change. The insurer answers with `answer`, and answers every search with the policies of
 * `list`.
 */
async function submit(
  method: "POST" | "PUT",
  colour: string,
  answer: Insurer["behaviour"],
): Promise<Response> {
  insurer.behaviour = (response, arrival) => {
    const asked = new URL(arrival.url, "http://insurer").searchParams.get("customer");
    const items = list.filter((item) => Reflect.get(item, "customer") === asked);
    const page = { items, start: 1, limit: 100, total: items.length };
    (arrival.method === "GET" ? json(200, page) : answer)(response, arrival);
  };
  return fetch(
    `${gateway.address}/provider-m/policies${method === "PUT" ? `/P-${customer}` : ""}`,
    {
      method,
      headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
      body: JSON.stringify({ customer, colour }),
    },
  );
}

const lost: Insurer["behaviour"] = (response) => void response.destroy();

async function addressIn(response: Response): Promise<string> {
  expect(response.status).toBe(504);
  const { reconciliation } = await problemIn(response);
  return String(Reflect.get(Object(reconciliation), "href"));
}

async function statusOf(address: string): Promise<object> {
  time.forward(2_000);
  await time.tick();
  return { ...Object(await (await gateway.ask(address)).json()) };
}

describe("a submission that changes a policy", () => {
  it("the gateway accepts an answer to a change even if an earlier submission has the same insurer's identifier", async () => {
    expect((await submit("POST", "red", json(201, policy("red")))).status).toBe(201);
    expect((await submit("PUT", "blue", json(200, policy("blue")))).status).toBe(200);
    expect((await submit("PUT", "green", json(200, policy("green")))).status).toBe(200);
  });

  it("a change whose answer was lost needs review, even if the insurer's list shows the requested value", async () => {
    expect((await submit("POST", "red", json(201, policy("red")))).status).toBe(201);
    expect((await submit("PUT", "blue", json(200, policy("blue")))).status).toBe(200);
    const address = await addressIn(await submit("PUT", "blue", lost));
    // The colour in the insurer's list comes from the first of the two changes to `blue`.
    list = [policy("blue")];
    expect(await statusOf(address)).toMatchObject({ state: "needs_review", insurerId: null });
  });

  it("the store keeps encrypted fields for the operator, and no match digest, if the outcome of a change is unknown", async () => {
    const address = await addressIn(await submit("PUT", "blue", lost));
    const place = { data: join(gateway.folder.path, "data"), databaseUrl: undefined };
    const store = await openStore(place, "beside");
    onTestFinished(() => store.close());
    const { keyId, matchDigest, matchFields } = Object(
      await store.find(address.split("/").at(-1) ?? ""),
    );
    expect([matchDigest, typeof keyId]).toEqual([null, "string"]);
    // The expected plain text of the encrypted fields. Encryption makes the text longer.
    const stored = JSON.stringify({
      query: {},
      same: { "/colour": "blue" },
      sent: { params: { policyId: `P-${customer}` }, query: {} },
    });
    expect(matchFields.length).toBeGreaterThanOrEqual(stored.length);
    expect(Buffer.from(matchFields).includes(customer)).toBe(false);
  });

  it("the gateway reports an unknown outcome if the answer to a change does not repeat the sent content", async () => {
    expect((await submit("PUT", "blue", json(200, policy("green")))).status).toBe(504);
  });

  it("the gateway finds a new policy in the insurer's list even if a change returned the policy's identifier before", async () => {
    expect((await submit("PUT", "blue", json(200, policy("blue")))).status).toBe(200);
    const address = await addressIn(await submit("POST", "red", lost));
    list = [policy("red")];
    expect(await statusOf(address)).toMatchObject({ state: "succeeded" });
    // The status is 201, because the answer for the first declared success status, 200, has no content.
    expect((await submit("POST", "red", lost)).status).toBe(201);
  });
});

it("the gateway finds two submissions of two customers with the same match fields, each in the right customer's list", async () => {
  const first = await addressIn(await submit("POST", "yellow", lost));
  list = [policy("yellow")];
  customer = `${customer}-other`;
  const second = await addressIn(await submit("POST", "yellow", lost));
  list = [...list, policy("yellow")];
  for (const address of [first, second])
    expect(await statusOf(address)).toMatchObject({ state: "succeeded" });
});

describe("a created policy that lacks a required field in the insurer's list", () => {
  it("the gateway marks a submission as succeeded even if the found policy lacks a required field, and then answers `executed`", async () => {
    const address = await addressIn(await submit("POST", "red", lost));
    list = [policy("red", { premium: undefined })];
    expect(await statusOf(address)).toMatchObject({ state: "succeeded" });
    expect(await problemIn(await submit("POST", "red", lost))).toMatchObject({
      code: "PROVIDER_BAD_RESPONSE",
      outcome: "executed",
      retry: "never",
      insurerId: `P-${customer}`,
      detail:
        "The insurer acted: the insurer's list contains it. Its answer was lost; do not send the submission again.",
    });
  });
});

it("the gateway reports an unknown outcome if a success answer does not contain the insurer's identifier", async () => {
  expect((await submit("POST", "red", json(202, { queued: true, colour: "red" }))).status).toBe(
    504,
  );
  const named = json(202, { queued: true, policyId: "P-202", colour: "blue" });
  expect((await submit("POST", "blue", named)).status).toBe(202);
});

it("the gateway sends the same content again if the insurer declined the earlier application", async () => {
  const declined = json(201, policy("red", { status: "DECLINED" }));
  expect((await submit("POST", "red", declined)).status).toBe(201);
  const again = await submit("POST", "red", json(201, policy("red", { policyId: "P-other" })));
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, null]);
});
