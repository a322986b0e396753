import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GatewayInProcess } from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { startWithProvider } from "./installed-provider.ts";

/** Provider package that does not declare the form of the insurer's identifiers. */
const PACKAGE = `
import { defineProvider, search, submission } from "@insurance-gateway/core/contract";
import { loose, pageQuery, strict, text } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
const provider = "provider-m";
const item = loose({ plate: z.string(), madeAt: z.string() });
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints: {
    createPolicy: submission({
      provider, path: "/policies", body: strict({ plate: text(20) }), response: { 201: item }, insurerId: "/id", same: ["/plate"],
      idempotency: "reconcile", settleAfterMs: 1000, sameContent: "none",
      reconcile: { endpoint: "searchPolicies", parameters: { plate: { from: "/plate" } }, createdAt: "/madeAt" },
    }),
    searchPolicies: search({ provider, path: "/policies", query: strict({ plate: text(20), ...pageQuery() }), item }),
  },
});`;

let time: HeldTime;
let insurer: Insurer;
let gateway: GatewayInProcess;
/** Identifier of every policy of the insurer, and whether the insurer's next answer is lost. */
let manner: { id: unknown; isLost: boolean };
let made: readonly { readonly plate: string }[];
beforeEach(async () => {
  time = holdTime();
  made = [];
  insurer = await startInsurer((response, arrival) => {
    if (arrival.method === "GET") {
      const plate = new URL(arrival.url, "http://insurer").searchParams.get("plate");
      const items = made.filter((one) => one.plate === plate);
      return json(200, { items, start: 1, limit: 100, total: items.length })(response, arrival);
    }
    const madeAt = new Date(time.now()).toISOString();
    const one = { ...JSON.parse(arrival.body), id: manner.id, madeAt };
    made = [...made, one];
    if (manner.isLost) response.destroy();
    else json(201, one)(response, arrival);
  });
  gateway = await startWithProvider(PACKAGE, insurer.baseUrl, { time });
});
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

interface Sent {
  readonly status: number;
  readonly address: string;
}

async function submit(plate: string): Promise<Sent> {
  const response = await gateway.ask("/provider-m/policies", {
    json: { plate },
    headers: { "idempotency-key": randomUUID() },
  });
  const { reconciliation } = { ...Object(await response.json()) };
  const address = response.headers.get("location") ?? Object(reconciliation).href;
  return { status: response.status, address: String(address) };
}

async function stateOf({ address }: Sent): Promise<object> {
  return Object(await (await gateway.ask(address)).json());
}

describe("insurers' identifiers", () => {
  it.each([
    ["ΑΙΤ-1001", "ΑΙΤ-1001"],
    ["AP 2026/77", "AP 2026/77"],
    ["№5 #(a@b)_", "№5 #(a@b)_"],
    ["x".repeat(200), "x".repeat(200)],
    [4711, "4711"],
  ])(
    "the gateway accepts an insurer's identifier in an answer and in a list, and notices a repeated identifier: %j",
    async (id, insurerId) => {
      manner = { id, isLost: false };
      const first = await submit("A-1");
      expect([first.status, await stateOf(first)]).toMatchObject([201, { insurerId }]);
      expect((await submit("A-2")).status, "with the first one's identifier").toBe(504);
      manner = { id: typeof id === "number" ? 4712 : `${id.slice(1)}2`, isLost: true };
      const lost = await submit("B-1");
      expect(lost.status).toBe(504);
      time.forward(2_000);
      await time.tick();
      const found = { state: "succeeded", insurerId: String(manner.id) };
      expect(await stateOf(lost)).toMatchObject(found);
    },
  );

  it.each([undefined, null, "", "\u200b", "X\u00077", "x".repeat(201), 7.5, true, ["X"]])(
    "the gateway reports `unknown` and queries the insurer if the insurer's answer has an unusable identifier: %j",
    async (id) => {
      manner = { id, isLost: false };
      const doubted = await submit("C-1");
      expect(doubted.status).toBe(504);
      time.forward(2_000);
      await time.tick();
      expect(await stateOf(doubted)).toMatchObject({ state: "outcome_unknown" });
      expect(insurer.arrivals.map(({ method }) => method)).toEqual(["POST", "GET"]);
    },
  );
});
