import type { Endpoint } from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { searchApplications } from "@insurance-gateway/provider-d";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { UpstreamCall } from "../../src/insurers/call.ts";
import { createLookupResponses } from "../../src/insurers/lookups/lookup-responses.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { cachedLookups } from "./cached-lookups.ts";

const BRANDS = { items: [{ code: "TOY", name: "Toyota" }] };

let insurer: Insurer;
let gateway: GatewayInProcess;
let time: HeldTime;
beforeEach(async () => {
  insurer = await startInsurer(json(200, BRANDS, { etag: '"one"' }));
  time = holdTime();
  const providers = [
    {
      ...insurerConfiguration("a", insurer.baseUrl),
      retries: { attempts: 1 },
      answers: { staleHours: 2 },
    },
    insurerConfiguration("d", insurer.baseUrl),
  ];
  gateway = await startInProcess({ providers }, {}, { time });
});
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

function ask(path = "/provider-a/auto/brands"): Promise<Response> {
  return gateway.ask(path);
}

describe("a lookup whose insurer fails", () => {
  it("the gateway answers a lookup with the last successful answer and its age while the insurer fails", async () => {
    const fresh = await ask();
    expect(fresh.headers.get("age")).toBeNull();
    expect(fresh.headers.get("cache-status")).toBeNull();
    time.forward(90_500);
    insurer.behaviour = json(500, {});
    const stale = await ask();
    expect(stale.status).toBe(200);
    expect(await stale.json()).toEqual(BRANDS);
    expect(Object.fromEntries(stale.headers)).toMatchObject({
      age: "90",
      "cache-status": "insurance-gateway; hit; ttl=-90; detail=insurer_failed",
      "cache-control": "no-store",
      etag: fresh.headers.get("etag"),
    });
  });

  it("the gateway sends no stale answer to a lookup if the insurer refuses the credentials", async () => {
    await ask();
    insurer.behaviour = json(401, {});
    const response = await ask();
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { code: "PROVIDER_AUTH_FAILED" },
    ]);
  });

  it("the gateway answers a lookup with a stale answer while the circuit breaker is open", async () => {
    await ask();
    insurer.behaviour = json(500, {});
    for (let call = 0; call < 9; call += 1) expect((await ask()).status).toBe(200);
    expect(insurer.arrivals).toHaveLength(6);
  });

  it("a lookup of a failing insurer fails if no successful answer is cached, or if the cached answer is too old", async () => {
    insurer.behaviour = json(500, {});
    expect((await ask()).status).toBe(502);
    insurer.behaviour = json(200, BRANDS);
    await ask();
    insurer.behaviour = json(500, {});
    time.forward(2 * 3_600_000 + 1);
    expect((await ask()).status).toBe(502);
  });

  it("the gateway answers a lookup with the insurer's new answer as soon as the insurer works again", async () => {
    await ask();
    insurer.behaviour = json(500, {});
    await ask();
    insurer.behaviour = json(200, { items: [] });
    const fresh = await ask();
    expect(await fresh.json()).toEqual({ items: [] });
    expect(fresh.headers.get("age")).toBeNull();
  });
});

it("a call with a sandbox scenario never receives a stale answer", async () => {
  await ask();
  insurer.behaviour = json(500, {});
  const response = await gateway.ask("/provider-a/auto/brands", {
    headers: { "x-sandbox-scenario": "ANY" },
  });
  expect(response.status).toBe(502);
});

it("a search never receives a stale answer, because its items are data of customers", async () => {
  const path = "/provider-d/applications/search?clientAfm=123456789";
  insurer.behaviour = json(200, { items: [], start: 1, limit: 20, total: 0 });
  expect((await ask(path)).status).toBe(200);
  insurer.behaviour = json(500, {});
  expect((await ask(path)).status).toBe(502);
});

it("a caller receives a stale answer only if the caller accepts the answer's media type", async () => {
  const lookup: Endpoint = { ...searchApplications, kind: "lookup" } as unknown as Endpoint;
  let isWorking = true;
  const serving = cachedLookups(
    async (_, { input }) => {
      if (!isWorking) throw new Refusal("PROVIDER_UNREACHABLE", { detail: "" });
      return { status: 200, headers: {}, content: String(input.accept) };
    },
    {
      responses: createLookupResponses(
        () => 1,
        () => 0,
      ),
      observation: { answeredStale: () => {} },
    },
  );
  const askFor = async (mediaType: string): Promise<unknown> => {
    const input = { params: {}, query: {}, headers: {}, accept: [mediaType] };
    return (await serving(lookup, { input, waited() {} } as unknown as UpstreamCall)).content;
  };
  expect(await askFor("text/csv")).toBe("text/csv");
  isWorking = false;
  expect(await askFor("text/csv")).toBe("text/csv");
  await expect(askFor("application/json")).rejects.toThrow(Refusal);
});
