import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { GatewayInProcess } from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { startWithProvider } from "./installed-provider.ts";

/** Provider package that searches policies by plate. Its insurer stores plates without dashes. */
const PACKAGE = `
import { defineProvider, search, submission } from "@insurance-gateway/core/contract";
import { loose, strict } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
const provider = "provider-m";
const item = loose({ policyId: z.string(), plate: z.string(), issuedAt: z.string() });
const whole = z.optional(z.int());
const normaliser = {
  name: "plate",
  normalise: (text) => text.replaceAll("-", ""),
  examples: [["IKY-1234", "IKY1234"]],
};
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints: {
    issuePolicy: submission({
      provider,
      path: "/policies",
      body: strict({ plate: z.string() }),
      response: { 201: item },
      insurerId: "/policyId",
      idempotency: "reconcile",
      reconcile: { endpoint: "findPolicies", parameters: { plate: { from: "/plate" } }, createdAt: "/issuedAt" },
      same: [{ at: "/plate", normaliser }],
      settleAfterMs: 60_000,
    }),
    findPolicies: search({
      provider,
      path: "/policies/search",
      query: strict({ plate: z.string(), start: whole, limit: whole }),
      item,
    }),
  },
});`;

let time: HeldTime;
let insurer: Insurer;
let gateway: GatewayInProcess;
/** The insurer's policies. */
let policies: readonly object[];
/** True if the insurer finds a plate in any spelling. */
let isTolerant: boolean;

beforeEach(async () => {
  time = holdTime();
  policies = [];
  insurer = await startInsurer((response, arrival) => {
    if (arrival.method === "POST") return void response.destroy();
    const isFound = isTolerant || !arrival.url.includes("-");
    const items = isFound ? policies : [];
    json(200, { items, start: 1, limit: 100, total: items.length })(response, arrival);
  });
  gateway = await startWithProvider(PACKAGE, insurer.baseUrl, { time });
});
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

function call(path: string, body?: object, token = gateway.token): Promise<Response> {
  return fetch(`${gateway.address}${path}`, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
    },
  });
}

/** Sends a submission whose answer is lost, and returns the address of the submission's state. */
async function lose(plate: string, token = gateway.token): Promise<string> {
  const answer = await call("/provider-m/policies", { plate }, token);
  const { reconciliation } = Object(await answer.json());
  return String(Object(reconciliation).href);
}

async function stateAt(address: string, token = gateway.token): Promise<unknown> {
  return Object(await (await call(address, undefined, token)).json()).state;
}

it("a single list item concludes neither of two submissions if two callers sent the same plate in different spellings", async () => {
  isTolerant = true;
  const other = await gateway.tokenFor("other");
  const lost = await lose("IKY-1234");
  const carriedOut = await lose("IKY1234", other);
  policies = [{ policyId: "P-1", plate: "IKY1234", issuedAt: new Date(time.now()).toISOString() }];
  time.forward(5_000);
  await time.tick();
  expect(insurer.arrivals.filter(({ method }) => method === "GET")).toHaveLength(2);
  expect([await stateAt(lost), await stateAt(carriedOut, other)]).toEqual([
    "outcome_unknown",
    "outcome_unknown",
  ]);
});

it("an empty list does not prove a failure if the insurer may store the searched value in another spelling", async () => {
  isTolerant = false;
  const address = await lose("IKY-1234");
  policies = [{ policyId: "P-1", plate: "IKY1234", issuedAt: new Date(time.now()).toISOString() }];
  for (const seconds of [5, 30, 120]) {
    time.forward(seconds * 1_000);
    await time.tick();
  }
  expect(await stateAt(address)).toBe("outcome_unknown");
});

it.each([
  ["yesterday", "not a time"],
  // The time is after the submission in every time zone.
  ["2100-01-01T00:00:00", "a time without a zone"],
])("a list item does not prove a success if its creation time is %s: %s", async (issuedAt) => {
  isTolerant = true;
  const address = await lose("IKY1234");
  policies = [{ policyId: "P-1", plate: "IKY1234", issuedAt }];
  time.forward(5_000);
  await time.tick();
  expect(insurer.arrivals.filter(({ method }) => method === "GET")).toHaveLength(1);
  expect(await stateAt(address)).toBe("outcome_unknown");
});

it("an empty list proves a failure if the caller sent the searched value in the insurer's spelling", async () => {
  isTolerant = false;
  const address = await lose("IKY1234");
  for (const seconds of [5, 30, 120, 600]) {
    time.forward(seconds * 1_000);
    await time.tick();
  }
  expect(await stateAt(address)).toBe("failed");
});
