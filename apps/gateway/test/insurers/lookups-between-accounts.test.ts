import { afterEach, expect, it } from "vitest";
import { account, BRANDS, type Brokers, CLAIM, keyIn, startBrokers } from "../harness/brokers.ts";
import { type Behaviour, json } from "../harness/insurer.ts";

const north = { tenant: "north" };
const south = { tenant: "south" };
const accounts = {
  claim: CLAIM,
  list: ["north", "south"].map((id) => account(id, id, { segment: "provider-a" })),
};
const DAY_MS = 86_400_000;

let brokers: Brokers;
afterEach(() => brokers.stop());

/** Starts a gateway that caches the list of brands for a day, as provider-a declares. */
async function start(behaviour: Behaviour, freshMinutes = 1_440): Promise<void> {
  const provider = { answers: { freshMinutes }, retries: { attempts: 1 } };
  brokers = await startBrokers(accounts, behaviour, { ids: ["north", "south"], provider });
}

function listOf(...names: readonly string[]): object {
  return { items: names.map((name) => ({ code: name, name })) };
}

/** Creates an insurer that answers each account with a different list. */
function ownLists(headers: Record<string, string>): Behaviour {
  return (response, arrival) => json(200, listOf(keyIn(arrival)), headers)(response, arrival);
}

/** Returns the names in an account's list, or the status of a problem. */
async function namesFor(bearer: object): Promise<unknown> {
  const answer = await brokers.ask(bearer, BRANDS);
  const { items } = Object(await answer.json());
  return answer.status === 200 ? items.map(({ name }: { name: string }) => name) : answer.status;
}

it.each([
  ["cache-control", "private"],
  ["cache-control", "Private, no-store"],
  ["cache-control", 'max-age=60, private="set-cookie"'],
  ["vary", "Authorization"],
  ["vary", "Accept-Encoding, X-Agency-Key"],
  ["vary", "Cookie"],
  ["vary", "*"],
])(
  "the gateway caches a list for each account separately if a header of the insurer limits the list to the account: %s: %s",
  async (name, value) => {
    await start(ownLists({ [name]: value }));
    const seen = await Promise.all([north, south, north, south].map(namesFor));
    expect(seen).toEqual([["north"], ["south"], ["north"], ["south"]]);
    expect(await Promise.all([north, south].map(namesFor))).toEqual([["north"], ["south"]]);
    expect(brokers.insurer.arrivals).toHaveLength(2);
    const { headers } = await brokers.ask(north, BRANDS);
    expect([headers.get("vary"), headers.get("age")]).toEqual(["authorization", "0"]);
  },
);

it.each([
  ["vary", "Accept, Accept-Encoding, Accept-Language, Origin, User-Agent"],
  ["cache-control", "no-store"],
  ["cache-control", "no-cache, no-store, max-age=0, must-revalidate"],
])(
  "the gateway caches a list for all accounts if no header of the insurer limits the list to the account: %s: %s",
  async (name, value) => {
    await start(ownLists({ [name]: value }));
    for (const bearer of [north, south, north]) expect(await namesFor(bearer)).toEqual(["north"]);
    expect(brokers.insurer.arrivals).toHaveLength(1);
  },
);

it("the gateway stops sharing a cached list between accounts as soon as the insurer marks the list as private", async () => {
  await start(ownLists({}), 1);
  for (const bearer of [north, south]) expect(await namesFor(bearer)).toEqual(["north"]);
  brokers.time.forward(60_000);
  brokers.insurer.behaviour = ownLists({ "cache-control": "private" });
  for (const bearer of [south, north]) expect(await namesFor(bearer)).toEqual([bearer.tenant]);
  brokers.insurer.behaviour = json(503, {});
  brokers.time.forward(60_000);
  for (const bearer of [south, north]) expect(await namesFor(bearer)).toEqual([bearer.tenant]);
});

it.each([
  ["an empty list", listOf(), listOf("Audi", "BMW", "Citroën", "Dacia")],
  [
    "a list with less than half of the bytes of the previous list",
    listOf("A"),
    listOf("Audi", "BMW", "Citroën", "Dacia"),
  ],
])(
  "the gateway caches a possibly incomplete list for only a minute: %s",
  async (_, doubtful, usual) => {
    await start(json(200, usual));
    expect(await namesFor(north)).toHaveLength(4);
    brokers.time.forward(DAY_MS);
    brokers.insurer.behaviour = json(200, doubtful);
    const first = await brokers.ask(north, BRANDS);
    expect(first.headers.get("cache-control")).toBe("private, max-age=60");
    brokers.insurer.behaviour = json(200, usual);
    brokers.time.forward(59_000);
    const { headers } = await brokers.ask(south, BRANDS);
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "private, max-age=60",
      "cache-status": "insurance-gateway; hit; ttl=1",
    });
    brokers.insurer.behaviour = json(500, {});
    brokers.time.forward(1_001);
    expect(await namesFor(south)).toBe(502);
    brokers.insurer.behaviour = json(200, usual);
    expect(await namesFor(south)).toHaveLength(4);
  },
);

it("the gateway caches a shorter list than before for the full time if the insurer sends this list a second time", async () => {
  await start(json(200, listOf("Audi", "BMW", "Citroën", "Dacia")));
  await namesFor(north);
  brokers.time.forward(DAY_MS);
  brokers.insurer.behaviour = json(200, listOf("A"));
  await namesFor(north);
  brokers.time.forward(60_000);
  const { headers } = await brokers.ask(north, BRANDS);
  expect(headers.get("cache-control")).toBe("private, max-age=3600");
});

it.each([
  [401, {}],
  [403, {}],
])(
  "the gateway sends no stale list to an account that the insurer refused with %i",
  async (status, body) => {
    await start(json(200, listOf("Audi")), 1);
    expect(await namesFor(north)).toEqual(["Audi"]);
    brokers.time.forward(60_000);
    brokers.insurer.behaviour = (response, arrival) =>
      json(keyIn(arrival) === "south" ? status : 500, body)(response, arrival);
    expect(await namesFor(south)).toBe(502);
    brokers.insurer.behaviour = json(500, {});
    expect(await namesFor(south)).toBe(502);
    expect(await namesFor(north)).toEqual(["Audi"]);
    brokers.insurer.behaviour = json(200, listOf("Audi", "BMW"));
    expect(await namesFor(south)).toEqual(["Audi", "BMW"]);
    brokers.time.forward(60_000);
    brokers.insurer.behaviour = json(500, {});
    expect(await namesFor(south)).toEqual(["Audi", "BMW"]);
  },
);

it("the answer to a lookup has an ETag even if the operator allows no answers from memory", async () => {
  await start(json(200, listOf("Audi")), 0);
  const etags: unknown[] = [];
  for (let count = 0; count < 2; count += 1)
    etags.push((await brokers.ask(north, BRANDS)).headers.get("etag"));
  expect(etags).toEqual([expect.stringMatching(/^"[\w-]{43}"$/), etags[0]]);
  const headers = {
    authorization: `Bearer ${brokers.token(north)}`,
    "if-none-match": String(etags[0]),
  };
  expect((await fetch(brokers.gateway.address + BRANDS, { headers })).status).toBe(304);
  expect(brokers.insurer.arrivals).toHaveLength(3);
});
