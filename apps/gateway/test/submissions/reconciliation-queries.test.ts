import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { nothingFound } from "../configuration/effects.ts";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { json } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
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

/** Loses the answer of a submission `lostAfterMs` after its arrival. */
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

/** How many queries the insurer has had for the customer of a body. */
function queriesOf(body: object): number {
  const afm = String(Reflect.get(Object(Reflect.get(body, "holder")), "afm"));
  return gateway.insurer.arrivals.filter(({ url }) => url.includes(afm)).length;
}

/** Something of the customer's that may be the submission, so that no query proves anything. */
function leaveUnclear(body: object): void {
  const vehicle = { ...Object(Reflect.get(body, "vehicle")), plateNumber: "XXX-9999" };
  gateway.list = [gateway.listed({ ...body, vehicle })];
}

describe("the queries of a submission", () => {
  it("are made at their times since its outcome became unknown; after the last one it is a person's", async () => {
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
    ["its address is asked", (address) => gateway.stateOf(address)],
    ["the same application is sent again", (_, body) => submitApplication(gateway, body)],
  ])("are made at once when %s, ten seconds after the last", async (_, ask) => {
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
  });

  it("use a connection of their own, on which no late answer to another question can be", async () => {
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

  it("queries find an application of a submission in flight, by an insurer's clock that is five minutes behind", async () => {
    const { address, body } = await submitInVain(40 * SECOND);
    gateway.list = [gateway.listed(body, 40 * SECOND + 5 * MINUTE)];
    await gateway.pass(2 * SECOND);
    expect(await gateway.stateOf(address)).toBe("succeeded");
  });
});

describe("what a query finds", () => {
  it("is asked for again by the schedule, when another submission took it meanwhile", async () => {
    const { address, body } = await gateway.submitInVain();
    const answer = gateway.listed(body);
    gateway.list = [answer];
    const { store } = gateway;
    const competitors: typeof store.competitors = store.competitors.bind(store);
    const usual = gateway.insurer.behaviour;
    const holder = { ...Object(Reflect.get(body, "holder")), fullName: "Μαρία Ιωάννου" };
    Object.assign(store, {
      async competitors(...parameters: Parameters<typeof competitors>) {
        Object.assign(store, { competitors });
        const before = await competitors(...parameters);
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

it("a refused request with the key of a submission to another segment is refused for the key", async () => {
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
