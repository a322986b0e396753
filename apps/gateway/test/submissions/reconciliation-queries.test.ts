import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { json } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { nothingFound } from "../harness/site.ts";
import { type ListingGateway, startListingGateway } from "./listing-gateway.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let gateway: ListingGateway;
beforeAll(async () => {
  gateway = await startListingGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.list = [];
});

/** Submits an application whose answer is lost `lostAfterMs` after the application's arrival. */
async function submitInVain(lostAfterMs = 0): ReturnType<ListingGateway["submitInVain"]> {
  const usual = gateway.insurer.behaviour;
  const lost = Promise.withResolvers<void>();
  gateway.insurer.behaviour = (response, arrival) =>
    void lost.promise.then(() => usual(response, arrival));
  const arrived = gateway.insurer.nextArrival();
  const submitted = gateway.submitInVain();
  await arrived;
  await gateway.time.pass(lostAfterMs);
  lost.resolve();
  const result = await submitted;
  gateway.insurer.behaviour = usual;
  return result;
}

/** Returns how many queries the insurer received for the customer of a body. */
function queriesOf(body: object): number {
  const afm = String(Reflect.get(Object(Reflect.get(body, "holder")), "afm"));
  return gateway.insurer.arrivals.filter(({ url }) => url.includes(afm)).length;
}

/** Lists an item of the customer that may be the submission, so that no query proves anything. */
function leaveUnclear(body: object): void {
  const vehicle = { ...Object(Reflect.get(body, "vehicle")), plateNumber: "XXX-9999" };
  gateway.list = [gateway.listed({ ...body, vehicle })];
}

describe("the queries of a submission", () => {
  it("the gateway queries the insurer at the planned times, and then the submission needs review", async () => {
    const { address, body } = await submitInVain(20 * SECOND);
    leaveUnclear(body);
    const times = [
      2 * SECOND,
      32 * SECOND,
      152 * SECOND,
      12 * MINUTE,
      72 * MINUTE,
      7 * HOUR,
      31 * HOUR,
    ];
    let passed = 0;
    for (const [index, time] of times.entries()) {
      await gateway.pass(time - passed - 1);
      expect(queriesOf(body), `before ${time} ms`).toBe(index);
      await gateway.pass(1);
      expect(queriesOf(body), `after ${time} ms`).toBe(index + 1);
      const isLast = index === times.length - 1;
      expect(await gateway.stateOf(address)).toBe(isLast ? "needs_review" : "outcome_unknown");
      passed = time;
    }
  });

  it.each<[string, (address: string, body: object) => Promise<unknown>]>([
    ["the caller reads the submission's state", (address) => gateway.stateOf(address)],
    ["the caller sends the same application again", (_, body) => submitApplication(gateway, body)],
  ])(
    "the gateway queries the insurer at once if %s, unless a query was sent in the last ten seconds",
    async (_, ask) => {
      const { address, body } = await gateway.submitInVain();
      leaveUnclear(body);
      await gateway.pass(2 * SECOND);
      for (const [wait, queries] of [
        [9 * SECOND, 1],
        [2 * SECOND, 2],
      ] as const) {
        await gateway.pass(wait);
        await ask(address, body);
        await gateway.pass(SECOND);
        expect(queriesOf(body)).toBe(queries);
      }
    },
  );

  it("each query uses a new connection, on which no late answer to another request can arrive", async () => {
    const { body } = await gateway.submitInVain();
    leaveUnclear(body);
    const seen: number[] = [];
    let queries = 0;
    const reused: number[] = [];
    const usual = gateway.insurer.behaviour;
    gateway.insurer.behaviour = (response, arrival) => {
      const port = response.socket?.remotePort ?? 0;
      if (!arrival.url.includes("123456789")) {
        queries += 1;
        if (seen.includes(port)) reused.push(port);
      }
      seen.push(port);
      (arrival.url.includes("123456789") ? nothingFound : usual)(response, arrival);
    };
    const search = `${gateway.address}/provider-d/applications/search?clientAfm=123456789`;
    const headers = { authorization: `Bearer ${gateway.token}` };
    for (const after of [2 * SECOND, 30 * SECOND, 2 * MINUTE]) {
      expect((await fetch(search, { headers })).status).toBe(200);
      await gateway.pass(after);
    }
    gateway.insurer.behaviour = usual;
    expect(queries).toBeGreaterThanOrEqual(3);
    expect(reused).toEqual([]);
  });

  it("a query finds an application even if the insurer's clock is five minutes behind", async () => {
    const { address, body } = await submitInVain(40 * SECOND);
    gateway.list = [gateway.listed(body, 40 * SECOND + 5 * MINUTE)];
    await gateway.pass(2 * SECOND);
    expect(await gateway.stateOf(address)).toBe("succeeded");
  });
});

describe("found items that belong to another submission", () => {
  it("the gateway waits for the next planned query if another submission received the found identifier during the query", async () => {
    const { address, body } = await gateway.submitInVain();
    const answer = gateway.listed(body);
    gateway.list = [answer];
    const { store } = gateway;
    const similarSubmissions: typeof store.similarSubmissions =
      store.similarSubmissions.bind(store);
    const usual = gateway.insurer.behaviour;
    const holder = { ...Object(Reflect.get(body, "holder")), fullName: "Μαρία Ιωάννου" };
    Object.assign(store, {
      async similarSubmissions(...parameters: Parameters<typeof similarSubmissions>) {
        Object.assign(store, { similarSubmissions });
        const before = await similarSubmissions(...parameters);
        gateway.insurer.behaviour = json(201, answer);
        const headers = { "idempotency-key": randomUUID() };
        expect((await submitApplication(gateway, { ...body, holder }, headers)).status).toBe(201);
        gateway.insurer.behaviour = usual;
        return before;
      },
    });
    await gateway.pass(2 * SECOND);
    expect(await gateway.stateOf(address)).toBe("outcome_unknown");
    for (let second = 0; second < 3; second++) await gateway.pass(SECOND);
    expect(queriesOf(body)).toBe(1);
  });
});

it("the gateway refuses an idempotency key that was sent to another segment before, even if the body is invalid", async () => {
  const key = { "idempotency-key": randomUUID() };
  const body = applicationBody();
  expect((await submitApplication(gateway, body, key)).status).toBe(504);
  const elsewhere = await fetch(`${gateway.address}/fleet/applications`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${gateway.token}`,
      "content-type": "application/json",
      ...key,
    },
    body: "{}",
  });
  expect(await problemIn(elsewhere)).toMatchObject({
    code: "IDEMPOTENCY_KEY_REUSED",
    outcome: "unknown",
  });
});
