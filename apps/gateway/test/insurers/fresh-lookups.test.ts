import { Agent, request } from "node:http";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sendToProcesses } from "../../src/reload/control.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { installPackage } from "../harness/provider-package.ts";
import { reloadNow } from "../reload/settled.ts";

const HOUR_MS = 3_600_000;
/** The time for which provider-a declares the answer to its lookup of brands as fresh. */
const DAY_MS = 24 * HOUR_MS;
const TOYOTA = { items: [{ code: "TOY", name: "Toyota" }] };
const NONE = { items: [] };
const MANY = {
  items: Array.from({ length: 200 }, (_, at) => ({ code: `B${at}`, name: `Brand ${at}` })),
};

let insurer: Insurer;
let gateway: GatewayInProcess;
let time: HeldTime;
beforeEach(async () => {
  insurer = await startInsurer(json(200, TOYOTA));
  time = holdTime();
  gateway = await startInProcess(configuration(insurer), {}, { time });
});
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

/** Creates a configuration whose lookups are fresh for the declared time; `answers` can shorten the time. */
function configuration({ baseUrl }: Insurer, answers: object = {}): object {
  const provider = insurerConfiguration("a", baseUrl);
  const fresh = { freshMinutes: DAY_MS / 60_000, ...answers };
  return { providers: [{ ...provider, retries: { attempts: 1 }, answers: fresh }] };
}

function ask(headers: Record<string, string> = {}): Promise<Response> {
  return gateway.ask("/provider-a/auto/brands", { headers });
}

describe("a lookup that is declared fresh for a day", () => {
  it("the gateway answers a lookup from memory for a day, with the age of the answer, and after the day queries the insurer again", async () => {
    const first = await ask();
    expect([first.headers.get("age"), first.headers.get("cache-control")]).toEqual([
      null,
      "private, max-age=3600",
    ]);
    time.forward(90_500);
    insurer.behaviour = json(200, NONE);
    const second = await ask();
    expect(await second.json()).toEqual(TOYOTA);
    expect(Object.fromEntries(second.headers)).toMatchObject({
      age: "90",
      "cache-control": "private, max-age=3690",
      "cache-status": "insurance-gateway; hit; ttl=86309",
      "content-type": "application/json; charset=utf-8",
      etag: first.headers.get("etag"),
    });
    expect(insurer.arrivals).toHaveLength(1);
    time.forward(DAY_MS - 90_500);
    expect(await (await ask()).json()).toEqual(NONE);
    expect(insurer.arrivals).toHaveLength(2);
  });

  it("the caller gets a 304 for a current ETag and a 200 for another ETag, both from memory and from the insurer", async () => {
    const etag = (await ask()).headers.get("etag") ?? "";
    const known = await ask({ "if-none-match": `"other", W/${etag}` });
    expect([known.status, known.headers.get("etag"), await known.text()]).toEqual([304, etag, ""]);
    time.forward(DAY_MS);
    expect((await ask({ "if-none-match": etag })).status).toBe(304);
    expect((await ask({ "if-none-match": '"other"' })).status).toBe(200);
  });

  it("the gateway compresses a cached lookup answer if the caller accepts gzip, with the same weak ETag as the uncompressed answer", async () => {
    insurer.behaviour = json(200, MANY);
    const gzip = { "accept-encoding": "gzip" };
    const plain = { "accept-encoding": "identity" };
    const facts = ({ headers }: Response): unknown[] =>
      ["content-encoding", "etag", "vary"].map((name) => headers.get(name));
    const first = await ask(gzip);
    const [, etag] = facts(first);
    expect(etag).toMatch(/^W\/"[\w-]+"$/);
    expect(facts(first)).toEqual(["gzip", etag, "accept-encoding"]);
    expect(await first.json()).toEqual(MANY);
    const second = await ask(gzip);
    expect(second.headers.get("cache-status")).toContain("hit");
    expect(facts(second)).toEqual(["gzip", etag, "accept-encoding"]);
    const text = JSON.stringify(MANY);
    expect(Number(second.headers.get("content-length"))).toBeLessThan(text.length / 4);
    expect(await second.text()).toBe(text);
    for (const headers of [plain, { "accept-encoding": "gzip;q=0, br" }]) {
      const answer = await ask(headers);
      expect(facts(answer)).toEqual([null, etag, "accept-encoding"]);
      expect(answer.headers.get("content-length")).toBe(String(text.length));
      expect(await answer.text()).toBe(text);
    }
    const known = await ask({ ...gzip, "if-none-match": String(etag) });
    expect([known.status, ...facts(known)]).toEqual([304, null, etag, "accept-encoding"]);
    expect(insurer.arrivals).toHaveLength(1);
  });

  it("the gateway sends a short lookup answer uncompressed and with a strong ETag", async () => {
    const answer = await ask({ "accept-encoding": "gzip" });
    expect([answer.headers.get("content-encoding"), answer.headers.get("vary")]).toEqual([
      null,
      null,
    ]);
    expect(answer.headers.get("etag")).toMatch(/^"/);
  });

  it("the log and the metrics state no time of the insurer for a lookup that is answered from memory", async () => {
    await ask();
    const id = (await ask()).headers.get("x-request-id") ?? "none";
    const found = (): string | undefined => gateway.log.find((line) => line.includes(id));
    await expect.poll(found).toBeDefined();
    expect(JSON.parse(found() ?? "{}")).toMatchObject({ status: 200, insurerMs: 0 });
    const metrics = await (await fetch(`${gateway.operationsAddress}/metrics`)).text();
    const countOf = (name: string): string | undefined =>
      new RegExp(`${name}_count\\{.*kind="lookup".*\\} (\\d+)`).exec(metrics)?.[1];
    expect([countOf("request_duration_seconds"), countOf("insurer_duration_seconds")]).toEqual([
      "2",
      "1",
    ]);
  });

  it("the gateway answers a lookup from memory only to a caller with a valid token", async () => {
    await ask();
    expect((await ask({ authorization: "Bearer none" })).status).toBe(401);
  });

  it("the gateway refreshes a cached lookup answer in the background after 80 % of its fresh time, and keeps the answer if the refresh fails", async () => {
    await ask();
    time.forward(DAY_MS * 0.8 - 1);
    await ask();
    expect(insurer.arrivals).toHaveLength(1);
    time.forward(1);
    let arrival = insurer.nextArrival();
    insurer.behaviour = json(500, {});
    expect(await (await ask()).json()).toEqual(TOYOTA);
    await arrival;
    arrival = insurer.nextArrival();
    insurer.behaviour = json(200, NONE);
    // The gateway waits after a failed refresh, so the test repeats the call until the insurer receives a third
    // request.
    do {
      time.forward(30_000);
      expect((await ask()).status).toBe(200);
    } while (insurer.arrivals.length < 3);
    await arrival;
    let text = await (await ask()).text();
    while (text !== JSON.stringify(NONE)) text = await (await ask()).text();
    // The age shows that the background refresh has replaced the answer.
    expect((await ask()).headers.get("age")).toBe("0");
  });

  it("the gateway queries the insurer once if five callers request the same lookup at the same time", async () => {
    let answer = (): void => {};
    insurer.behaviour = (response, arrival) => {
      answer = () => json(200, TOYOTA)(response, arrival);
    };
    const arrival = insurer.nextArrival();
    const all = Array.from({ length: 5 }, () => ask());
    await arrival;
    // The answer to this later request shows that the gateway has accepted the earlier requests.
    await fetch(`${gateway.address}/provider-a/none`);
    answer();
    const marks = await Promise.all(
      all.map(async (one) => (await one).headers.get("cache-status")),
    );
    const joined = marks.filter((mark) => mark === "insurance-gateway; fwd=miss; collapsed");
    expect([marks.filter((mark) => mark === null).length, joined.length]).toEqual([1, 4]);
    expect(await Promise.all(all.map(async (one) => (await one).json()))).toEqual(
      Array.from({ length: 5 }, () => TOYOTA),
    );
    expect(insurer.arrivals).toHaveLength(1);
  });

  it("a caller that shares another caller's lookup receives the answer even if the other caller disconnects", async () => {
    let answer = (): void => {};
    insurer.behaviour = (response, arrival) => {
      answer = () => json(200, TOYOTA)(response, arrival);
    };
    const arrival = insurer.nextArrival();
    const agent = new Agent();
    const first = request(`${gateway.address}/provider-a/auto/brands`, {
      agent,
      headers: { authorization: `Bearer ${gateway.token}` },
    });
    first.on("error", () => {}).end();
    await arrival;
    const second = ask();
    await fetch(`${gateway.address}/provider-a/none`);
    first.destroy();
    await fetch(`${gateway.address}/provider-a/none`);
    answer();
    expect(await (await second).json()).toEqual(TOYOTA);
    expect(insurer.arrivals).toHaveLength(1);
    agent.destroy();
  });

  it("the gateway queries the insurer again after the operator has dropped the cached answers", async () => {
    await ask();
    const { data } = gateway.configuration();
    expect(await sendToProcesses(data, "dropLookups")).toEqual([{ pid: process.pid, dropped: 1 }]);
    expect(await sendToProcesses(data, "dropLookups")).toEqual([{ pid: process.pid, dropped: 0 }]);
    await ask();
    expect(insurer.arrivals).toHaveLength(2);
  });

  it("the gateway does not cache an answer whose request began before the operator dropped the cached answers", async () => {
    let answer = (): void => {};
    insurer.behaviour = (response, arrival) => {
      answer = () => json(200, TOYOTA)(response, arrival);
    };
    const arrival = insurer.nextArrival();
    const before = ask();
    await arrival;
    await sendToProcesses(gateway.configuration().data, "dropLookups");
    insurer.behaviour = json(200, NONE);
    // This call queries the insurer itself and does not wait for the earlier call.
    expect(await (await ask()).json()).toEqual(NONE);
    answer();
    expect(await (await before).json()).toEqual(TOYOTA);
    expect(await (await ask()).json()).toEqual(NONE);
    expect(insurer.arrivals).toHaveLength(2);
  });

  it("the operator can shorten the time for which a lookup is fresh, and a reload can change that time", async () => {
    await ask();
    gateway.folder.writeConfiguration(configuration(insurer, { freshMinutes: 1 }));
    await reloadNow(gateway, time);
    expect((await ask()).headers.get("cache-control")).toBe("private, max-age=60");
    time.forward(60_000);
    await ask();
    expect(insurer.arrivals).toHaveLength(2);
    gateway.folder.writeConfiguration(configuration(insurer, { freshMinutes: 0 }));
    await reloadNow(gateway, time);
    await ask();
    expect((await ask()).headers.get("cache-control")).toBe("private, no-cache");
    expect(insurer.arrivals).toHaveLength(4);
  });
});

it("the gateway queries the insurer for a cached lookup again after a change of the provider's settings", async () => {
  const folder = makeGatewayFolder();
  installPackage(folder, "provider-m", PACKAGE);
  const upstream = { baseUrl: insurer.baseUrl, adapter: "declared" };
  const withAgency = (agency: string): object => ({
    providers: [
      { package: "provider-m", upstream, settings: { agency }, answers: { freshMinutes: 60 } },
    ],
  });
  const own = await startInProcess(withAgency("one"), {}, { folder, time });
  const askOwn = (): Promise<Response> =>
    fetch(`${own.address}/provider-m/models`, {
      headers: { authorization: `Bearer ${own.token}` },
    });
  await askOwn();
  folder.writeConfiguration(withAgency("two"));
  await reloadNow(own, time);
  insurer.behaviour = json(200, NONE);
  expect(await (await askOwn()).json()).toEqual(NONE);
  await own.stop();
});

const PACKAGE = `
import { defineProvider, lookup } from "@insurance-gateway/core/contract";
import { loose, strict, text } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
const provider = "provider-m";
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  settings: strict({ agency: text(20) }),
  endpoints: {
    listModels: lookup({ provider, path: "/models", freshFor: 86_400, response: { 200: loose({ items: z.array(z.unknown()) }) } }),
  },
});`;
