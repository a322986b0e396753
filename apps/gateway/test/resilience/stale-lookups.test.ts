import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";

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
  return fetch(gateway.address + path, {
    headers: { authorization: `Bearer ${gateway.token}` },
  });
}

describe("a lookup whose insurer fails", () => {
  it("is answered with the last good answer, which says that it is old and how old", async () => {
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

  it("also while the insurer is left alone", async () => {
    await ask();
    insurer.behaviour = json(500, {});
    for (let call = 0; call < 9; call += 1) expect((await ask()).status).toBe(200);
    expect(insurer.arrivals).toHaveLength(6);
  });

  it("is a problem where there was no good answer yet, or it is too old", async () => {
    insurer.behaviour = json(500, {});
    expect((await ask()).status).toBe(502);
    insurer.behaviour = json(200, BRANDS);
    await ask();
    insurer.behaviour = json(500, {});
    time.forward(2 * 3_600_000 + 1);
    expect((await ask()).status).toBe(502);
  });

  it("is fresh again as soon as the insurer works", async () => {
    await ask();
    insurer.behaviour = json(500, {});
    await ask();
    insurer.behaviour = json(200, { items: [] });
    const fresh = await ask();
    expect(await fresh.json()).toEqual({ items: [] });
    expect(fresh.headers.get("age")).toBeNull();
  });
});

it("a call that asks for a scenario is never answered with an old answer", async () => {
  await ask();
  insurer.behaviour = json(500, {});
  const response = await fetch(`${gateway.address}/provider-a/auto/brands`, {
    headers: { authorization: `Bearer ${gateway.token}`, "x-sandbox-scenario": "ANY" },
  });
  expect(response.status).toBe(502);
});

it("a search, which is somebody's, is never answered with an old answer", async () => {
  const path = "/provider-d/applications/search?clientAfm=123456789";
  insurer.behaviour = json(200, { items: [], start: 1, limit: 20, total: 0 });
  expect((await ask(path)).status).toBe(200);
  insurer.behaviour = json(500, {});
  expect((await ask(path)).status).toBe(502);
});
