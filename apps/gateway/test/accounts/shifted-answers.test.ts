import { randomUUID } from "node:crypto";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterEach, describe, expect, it } from "vitest";
import {
  account,
  type Bearer,
  type Brokers,
  CLAIM,
  keyIn,
  startBrokers,
} from "../harness/brokers.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import {
  type Arrival,
  type Behaviour,
  type Insurer,
  json,
  startInsurer,
} from "../harness/insurer.ts";
import { installPackage } from "../harness/provider-package.ts";
import { nothingFound } from "../harness/site.ts";

/** A provider with lookups, searches and submissions that differ only by path and parameters. */
const PACKAGE = `
import { defineProvider, lookup, search, submission } from "@insurance-gateway/core/contract";
import { afm, loose, pageQuery, strict, text } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
const provider = "provider-m";
const names = { 200: loose({ name: z.string() }) };
const item = loose({ id: z.string(), afm: z.string() });
const query = strict({ clientAfm: afm(), status: z.optional(z.string()), ...pageQuery() });
const echoes = { clientAfm: "/afm" };
const body = strict({ afm: afm(), note: text(40) });
const made = { 201: loose({ id: z.string(), afm: z.string() }) };
const sent = { provider, body, response: made, insurerId: "/id", same: ["/afm"], idempotency: "none", sameContent: "none" };
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints: {
    listModels: lookup({ provider, path: "/models", query: strict({ brand: text(20) }), freshFor: 3600, response: names }),
    listRates: lookup({ provider, path: "/rates", response: names }),
    searchClaims: search({ provider, path: "/claims", query, echoes, item }),
    searchPolicies: search({ provider, path: "/policies", query, echoes, item }),
    createClaim: submission({ ...sent, path: "/claims" }),
    createForm: submission({ ...sent, path: "/forms" }),
  },
});`;

/**
 * Returns the behaviour of an insurer, or of a proxy in front of an insurer. A request gets the answer to the previous
 * request on the same connection.
 */
function shifting(answer: Behaviour): Behaviour {
  const before = new WeakMap<object, Arrival>();
  return (response, arrival) => {
    const { socket } = response;
    if (socket === null) throw new TypeError("A request of an insurer has a socket");
    const late = before.get(socket) ?? arrival;
    before.set(socket, arrival);
    answer(response, late);
  };
}

const north = { tenant: "north", subject: "north" };
const south = { tenant: "south", subject: "south" };
const AFM = "123456789";

/** The total number of items, and the position of the first item, that the insurer's search answers state. */
let manner: { total: number; from: number };

/** The behaviour of an insurer whose answers contain the path and the API key of each request. */
const naming: Behaviour = (response, arrival) => {
  const { pathname, searchParams } = new URL(arrival.url, "http://insurer");
  const answer = (status: number, body: unknown): void =>
    json(status, body, { "cache-control": "private" })(response, arrival);
  if (arrival.method === "POST") {
    const sent: { readonly note: string } = JSON.parse(arrival.body);
    return answer(201, { ...sent, id: `${pathname.split("/").at(-1)}-${sent.note}` });
  }
  const afm = searchParams.get("clientAfm");
  if (afm === null) return answer(200, { name: `${arrival.url} of ${keyIn(arrival)}` });
  const status = searchParams.get("status") ?? pathname.split("/").at(-1);
  const start = Number(searchParams.get("start"));
  const limit = Number(searchParams.get("limit"));
  const ids = Array.from({ length: manner.total }, (_, index) => `${status}-${index + 1}`);
  const items = ids.slice(start - 1, start - 1 + limit).map((id) => ({ id, afm }));
  return answer(200, { items, start: start - 1 + manner.from, limit, total: manner.total });
};

let insurer: Insurer;
let brokers: Brokers;
afterEach(async () => {
  await brokers.stop();
  await insurer.close();
});

async function start(more: object = {}): Promise<void> {
  manner = { total: 45, from: 1 };
  insurer = await startInsurer(shifting(naming));
  const folder = makeGatewayFolder();
  installPackage(folder, "provider-m", PACKAGE);
  const list = ["north", "south"].map((name) => account(name, name, { segment: "provider-m" }));
  const provider = { ...insurerConfiguration("d", insurer.baseUrl), package: "provider-m" };
  brokers = await startBrokers({ claim: CLAIM, list }, nothingFound, {
    ids: ["north", "south"],
    more: { providers: [{ ...provider, ...more }] },
    parts: { folder },
  });
}

async function ask(bearer: Bearer, path: string): Promise<object> {
  const response = await brokers.ask(bearer, `/provider-m${path}`);
  return { status: response.status, ...Object(await response.json()) };
}

describe("an insurer that answers on an open connection with the answer to the previous request", () => {
  it.each([
    ["declares no `freshFor`", {}, "/rates"],
    ["the operator excludes from caching", { answers: { freshMinutes: 0 } }, "/models?brand=FIAT"],
  ])("no broker receives another broker's answer to a lookup that %s", async (_, more, path) => {
    await start(more);
    for (const bearer of [north, south, north, south])
      expect(await ask(bearer, path)).toMatchObject({
        name: expect.stringMatching(`${path.slice(1, 6)}.* of ${bearer.tenant}$`),
      });
  });

  it("the gateway never caches an insurer's answer to one lookup as the answer to another lookup", async () => {
    await start({ answers: { freshMinutes: 60 } });
    for (const path of ["/rates", "/models?brand=FIAT", "/models?brand=SEAT", "/models?brand=FIAT"])
      expect(await ask(north, path)).toMatchObject({ name: `/api${path} of north` });
  });

  it("a broker never receives a stale answer that the gateway has cached for another broker", async () => {
    await start({ answers: { freshMinutes: 0 } });
    expect(await ask(north, "/rates")).toMatchObject({ status: 200 });
    insurer.behaviour = json(503, {});
    expect(await ask(north, "/rates")).toMatchObject({ status: 200 });
    expect(await ask(south, "/rates")).toMatchObject({ status: 502 });
  });

  it.each([
    ["page", "/claims?clientAfm=123456789&start=1&limit=20", "start=21&limit=20", "claims-21", 20],
    [
      "page size",
      "/claims?clientAfm=123456789&start=1&limit=5",
      "start=1&limit=20",
      "claims-1",
      20,
    ],
    ["endpoint", "/policies?clientAfm=123456789", "start=1&limit=20", "claims-1", 20],
    ["filter", "/claims?clientAfm=123456789&status=open", "start=1&limit=20", "claims-1", 20],
  ])(
    "a search for a customer never receives the answer to a search with another %s",
    async (_, first, second, id, count) => {
      await start();
      expect(await ask(north, first)).toMatchObject({ status: 200 });
      const page = await ask(north, `/claims?clientAfm=${AFM}&${second}`);
      expect(page).toMatchObject({ status: 200, items: { length: count, 0: { id } } });
    },
  );

  it("the gateway answers `OUTCOME_UNKNOWN` if a submission receives the answer to a submission of another endpoint", async () => {
    await start();
    const submit = async (path: string, note: string): Promise<object> => {
      const response = await fetch(`${brokers.gateway.address}/provider-m${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${brokers.token(north)}`,
          "content-type": "application/json",
          "idempotency-key": randomUUID(),
        },
        body: JSON.stringify({ afm: AFM, note }),
      });
      return { status: response.status, ...Object(await response.json()) };
    };
    expect(await submit("/claims", "one")).toMatchObject({ status: 201, id: "claims-one" });
    expect(await submit("/forms", "two")).toMatchObject({ status: 201, id: "forms-two" });
    expect(await submit("/claims", "three")).toMatchObject({ code: "OUTCOME_UNKNOWN" });
  });
});

describe("a search whose answer starts at another position than requested", () => {
  const page = `/claims?clientAfm=${AFM}&start=1&limit=20`;
  async function positions(): Promise<readonly unknown[]> {
    insurer.behaviour = naming;
    const pages = [await ask(north, page), await ask(north, page)];
    return pages.map((one) => [Reflect.get(one, "status"), Reflect.get(one, "start")]);
  }

  it("the gateway repeats a search on a new connection if the answer starts at another position than requested", async () => {
    await start();
    manner.from = 2;
    expect(await positions()).toEqual([
      [200, 2],
      [200, 2],
    ]);
    expect(insurer.arrivals).toHaveLength(3);
    const log = brokers.gateway.log.filter((line) => line.includes("belongs to another call"));
    expect(log.map((line) => JSON.parse(line).fields)).toEqual([["/start"]]);
    const metrics = await (await brokers.operator("/metrics")).text();
    expect(metrics).toContain('endpoint="searchClaims",field="/start"} 1');
  });

  it("the gateway uses a new connection for each search if the operator excludes the position of the first item from the comparison", async () => {
    await start({ compare: { except: ["/start"] } });
    manner.from = 2;
    await positions();
    expect(insurer.arrivals).toHaveLength(2);
  });
});
