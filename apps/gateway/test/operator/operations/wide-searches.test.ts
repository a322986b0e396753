import type { CheckedInput } from "@insurance-gateway/core/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countWideSearches } from "../../../src/operator/observation/wide-searches.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../../harness/insurer.ts";

const HOUR_MS = 3_600_000;

describe("callers that search for unusually many customers", () => {
  let gateway: GatewayInProcess;
  let insurer: Insurer;
  let time: HeldTime;
  beforeAll(async () => {
    insurer = await startInsurer(json(200, { items: [], start: 1, limit: 20, total: 0 }));
    time = holdTime();
    const providers = ["c", "d"].map((letter) => insurerConfiguration(letter, insurer.baseUrl));
    const observation = { searchesPerHour: 3 };
    gateway = await startInProcess({ providers, observation }, {}, { time });
  });
  afterAll(async () => {
    await gateway.stop();
    await insurer.close();
  });

  async function search(subject: string, query: string): Promise<number> {
    const response = await fetch(`${gateway.address}/provider-d/applications/search?${query}`, {
      headers: { authorization: `Bearer ${await gateway.tokenFor(subject)}` },
    });
    await response.arrayBuffer();
    return response.status;
  }

  const afm = (number: number): string => `clientAfm=12345678${number}`;
  const warnings = (): readonly string[] =>
    gateway.log.filter((line) => line.includes("a caller searches for unusually many customers"));
  async function counted(): Promise<string | undefined> {
    const text = await (await fetch(`${gateway.operationsAddress}/metrics`)).text();
    return /^insurance_gateway_wide_searchers_total\{provider="provider-d"\} (\d+)$/m.exec(
      text,
    )?.[1];
  }

  it("the gateway counts and logs a caller with many searches only once, and names neither the caller nor a customer", async () => {
    for (const number of [1, 2, 3]) expect(await search("Maria", afm(number))).toBe(200);
    // A repeated search or another page of a search does not count again. An invalid request does not count.
    expect(await search("Maria", `${afm(1)}&start=21&limit=50`)).toBe(200);
    expect(await search("Maria", `limit=5&${afm(2)}`)).toBe(200);
    expect(await search("Maria", "clientAfm=1")).toBe(400);
    // Another caller's searches count separately.
    expect(await search("Nikos", afm(4))).toBe(200);
    expect([warnings().length, await counted()]).toEqual([0, undefined]);

    expect(await search("Maria", afm(4))).toBe(200);
    for (const number of [5, 6, 7, 8]) expect(await search("Maria", afm(number))).toBe(200);
    expect(await counted()).toBe("1");
    expect(warnings().map((line) => JSON.parse(line))).toEqual([
      {
        level: 40,
        time: expect.any(String),
        msg: "a caller searches for unusually many customers",
        requestId: expect.any(String),
        caller: expect.stringMatching(/^[0-9a-f]{16}$/),
        provider: "provider-d",
        endpoint: expect.any(String),
      },
    ]);
    const written =
      gateway.log.join("") + (await (await fetch(`${gateway.operationsAddress}/metrics`)).text());
    for (const secret of ["Maria", "Nikos", "12345678"]) expect(written).not.toContain(secret);
  });

  it("the gateway counts a caller with many searches again in a later hour only if that hour has as many searches", async () => {
    time.forward(HOUR_MS);
    for (const number of [1, 2, 3]) await search("Maria", afm(number));
    expect(await counted()).toBe("1");
    await search("Maria", afm(4));
    expect(await counted()).toBe("2");
  });
});

describe("the memory of callers' searches", () => {
  const input = (clientAfm: number): CheckedInput => ({
    params: {},
    query: { clientAfm },
    headers: {},
    body: undefined,
  });
  const caller = (subject: string): Parameters<ReturnType<typeof countWideSearches>>[0] => ({
    issuer: "https://login.example",
    subject,
    tenant: null,
    scopes: null,
  });

  it("the gateway remembers the searches of a thousand callers, and forgets the caller whose last search is the oldest", () => {
    const count = countWideSearches(() => 1, holdTime());
    expect(count(caller("first"), input(1))).toBe(false);
    for (let other = 0; other < 999; other += 1) count(caller(`other ${other}`), input(1));
    expect(count(caller("first"), input(2))).toBe(true);
    expect(count(caller("one more"), input(1))).toBe(false);
    expect(count(caller("other 0"), input(2))).toBe(false);
  });

  it("the count of a caller's different searches distinguishes bodies and paths, but not the order of fields", () => {
    const count = countWideSearches(() => 2, holdTime());
    const one = caller("one");
    const of = (body: unknown, params = {}): CheckedInput => ({
      params,
      query: {},
      headers: {},
      body,
    });
    expect(count(one, of({ afm: "1", name: "2" }))).toBe(false);
    expect(count(one, of({ name: "2", afm: "1" }))).toBe(false);
    expect(count(one, of({ name: "2", afm: "1" }, { branch: "7" }))).toBe(false);
    expect(count(one, of({ name: "3", afm: "1" }))).toBe(true);
  });
});
