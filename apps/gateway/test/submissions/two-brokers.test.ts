import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applicationBody, listedApplication } from "../harness/applications.ts";
import { account, type Brokers, CLAIM, keyIn, startBrokers } from "../harness/brokers.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { type Behaviour, json } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

// Two brokers share one insurer: an answer to one broker may contain the other broker's application.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const north = { tenant: "north", subject: "north" };
const south = { tenant: "south", subject: "south" };
const body = applicationBody();
const list = [account("north", "north"), account("south", "south")];

interface Application {
  readonly applicationId: string;
  readonly createdAt: unknown;
  readonly of: string;
}

/** The insurer's records, newest first. */
let records: (Application & object)[];
/** The insurer's behaviour for each broker's applications. Default: `answers`. */
let does: Readonly<Record<string, "answers" | "loses" | "ignores">>;
/**
 * Format of the insurer's identifiers and creation times; which applications the insurer lists, and with which delay.
 */
let manner: {
  number: (broker: string) => string;
  time: (at: number) => unknown;
  lists: "all" | "the broker's";
  lagMs: number;
};
/** Whether the insurer answers an equal application with the earlier application. */
let recognises: "nothing" | "the application";
let brokers: Brokers;

const insurer: Behaviour = (response, arrival) => {
  const broker = keyIn(arrival);
  const answer = (status: number, body: unknown): void => json(status, body)(response, arrival);
  if (arrival.method !== "POST") {
    const afm = new URL(arrival.url, "http://insurer").searchParams.get("clientAfm");
    const visible = records.filter(
      (one) =>
        afmOf(one) === afm &&
        (manner.lists === "all" || one.of === broker) &&
        madeAt(one) <= brokers.time.now() - manner.lagMs,
    );
    return answer(200, { items: visible.map(shown), start: 1, limit: 100, total: visible.length });
  }
  const what = does[broker] ?? "answers";
  const sent: object = JSON.parse(arrival.body);
  const same = records.find(
    (one) => JSON.stringify(contentOf(one)) === JSON.stringify(contentOf(sent)),
  );
  const found = recognises === "the application" ? same : undefined;
  if (what !== "ignores" && found === undefined)
    records.unshift({
      ...listedApplication(sent, {
        applicationId: manner.number(broker),
        createdAt: manner.time(brokers.time.now()),
        updatedAt: new Date(brokers.time.now()).toISOString(),
      }),
      of: broker,
    });
  if (what === "answers") answer(201, shown(found ?? records[0]));
  else response.destroy();
};

const afmOf = (one: object): unknown => Object(Object(one).holder).afm;
const madeAt = (one: object): number => Date.parse(String(Reflect.get(one, "updatedAt")));

function contentOf(one: object): unknown {
  return [Reflect.get(one, "holder"), Reflect.get(one, "vehicle")];
}

function shown(one: object | undefined): object {
  const { of: _, ...rest }: { of?: string } = { ...one };
  return rest;
}

beforeEach(async () => {
  records = [];
  does = {};
  recognises = "nothing";
  let count = 0;
  manner = {
    number: () => `D-${++count}`,
    time: (at) => new Date(at).toISOString(),
    lists: "all",
    lagMs: 0,
  };
  brokers = await startBrokers({ claim: CLAIM, list }, insurer, {
    ids: ["north", "south"],
    provider: { breaker: { failuresInRow: 10_000, minCalls: 10_000 } },
  });
});

/** Restarts the gateway with a new `compare` setting for provider D. */
async function configure(compare: object): Promise<void> {
  const providers = [{ ...insurerConfiguration("d", brokers.insurer.baseUrl), compare }];
  await brokers.restart({ providers, accounts: { claim: CLAIM, list } });
}

afterEach(() => brokers.stop());

interface Sent {
  readonly who: typeof north;
  readonly key: string;
  readonly body: object;
  readonly status: number;
  readonly text: string;
}

async function submit(who: typeof north, body: object, key: string = randomUUID()): Promise<Sent> {
  const response = await brokers.submit(who, body, key);
  return { who, key, body, status: response.status, text: await response.text() };
}

/** Sends a submission again with the same key. */
const again = ({ body, key, who }: Sent): Promise<Sent> => submit(who, body, key);

async function pass(...waits: readonly number[]): Promise<void> {
  for (const wait of waits) {
    brokers.time.forward(wait);
    await brokers.time.tick();
  }
}

/**
 * Advances the time to each planned query, until the queries can prove that the insurer did not execute a submission.
 */
const settle = (): Promise<void> => pass(2_000, 30_000, 2 * MINUTE, 10 * MINUTE);
const idIn = ({ text }: Sent): unknown => Reflect.get(JSON.parse(text), "applicationId");
const codeIn = ({ text }: Sent): unknown => Reflect.get(JSON.parse(text), "code");

describe("applications of another broker", () => {
  it("another broker's application in the insurer's list does not conclude an equal submission with a lost answer", async () => {
    const first = await submit(south, body);
    does = { north: "ignores" };
    const lost = await submit(north, body);
    expect([first.status, lost.status]).toEqual([201, 504]);
    await settle();
    const concluded = await again(lost);
    expect(codeIn(concluded)).toBe("PROVIDER_REJECTED");
    expect(concluded.text).not.toContain(String(idIn(first)));
  });

  it("one application proves nothing while equal submissions of two brokers both have an unknown outcome", async () => {
    does = { north: "ignores", south: "loses" };
    const lost = [await submit(south, body), await submit(north, body)];
    await settle();
    await pass(HOUR, 6 * HOUR, 24 * HOUR);
    for (const one of lost) expect(codeIn(await again(one))).toBe("OUTCOME_UNKNOWN");
  });

  it.each(["answers", "loses"] as const)(
    "an answer with another broker's equal application does not prove a success if the insurer %s the other broker's request",
    async (first) => {
      does = { south: first };
      await submit(south, body);
      recognises = "the application";
      brokers.time.forward(1_000);
      const second = await submit(north, body);
      expect(codeIn(second)).toBe("OUTCOME_UNKNOWN");
      const [made] = records;
      await settle();
      const later = await again(second);
      expect(later.status).not.toBe(201);
      expect(later.text).not.toContain(String(made?.applicationId));
    },
  );

  it.each<[string, number, (at: number) => string]>([
    ["in the same millisecond", 0, (at) => new Date(at).toISOString()],
    [
      "in the same second, and the insurer writes whole seconds",
      500,
      (at) => new Date(at - (at % 1_000)).toISOString(),
    ],
  ])(
    "an answer with another broker's equal application does not prove a success if both applications were sent %s",
    async (_, laterMs, time) => {
      brokers.time.forward(1_000 - (brokers.time.now() % 1_000));
      manner.time = time;
      does = { south: "loses" };
      await submit(south, body);
      recognises = "the application";
      brokers.time.forward(laterMs);
      expect(codeIn(await submit(north, body))).toBe("OUTCOME_UNKNOWN");
    },
  );

  it("an answer does not prove a success if the insurer executes another broker's open submission at the same time", async () => {
    does = { south: "ignores" };
    await submit(south, body);
    brokers.time.forward(MINUTE);
    // The insurer executes the first application only here, after the connection of this application was lost.
    recognises = "the application";
    records.unshift({
      ...listedApplication(body, {
        applicationId: "D-1",
        createdAt: manner.time(brokers.time.now() + 100),
        updatedAt: new Date(brokers.time.now()).toISOString(),
      }),
      of: "south",
    });
    expect(codeIn(await submit(north, body))).toBe("OUTCOME_UNKNOWN");
  });

  it("a new application proves a success even if another broker's equal submission is open", async () => {
    does = { south: "ignores" };
    await submit(south, body);
    await pass(HOUR);
    brokers.time.forward(1_000);
    expect((await submit(north, body)).status).toBe(201);
  });

  it("an answer without a creation time does not prove a success while another broker's equal submission is open", async () => {
    does = { south: "loses" };
    await submit(south, body);
    manner.time = () => "2026-11-29";
    expect(codeIn(await submit(north, body))).toBe("OUTCOME_UNKNOWN");
  });
});

describe("an insurer that numbers each broker's applications separately", () => {
  async function submitBoth(): Promise<readonly Sent[]> {
    manner.number = () => "D-1";
    return [await submit(south, applicationBody()), await submit(north, applicationBody())];
  }

  it("the gateway accepts equal identifiers of two brokers only with the setting `compare.identifiers`, which the log recommends", async () => {
    const [, second] = await submitBoth();
    expect(second?.status).toBe(504);
    expect(brokers.gateway.log.join()).toContain("compare.identifiers");
    await configure({ identifiers: { createApplication: "account" } });
    await pass(2_000);
    expect((await again(second ?? expect.fail())).status).toBe(201);
    expect((await submitBoth())[0]?.status, "twice for one broker").toBe(504);
  });

  it("the gateway refuses `compare.identifiers` for an endpoint without an identifier", async () => {
    const wrong = configure({ identifiers: { searchApplications: "account" } });
    await expect(wrong).rejects.toThrow(/identifiers\.searchApplications/);
    await configure({});
  });
});

describe("a submission that the insurer's list shows late", () => {
  it("a submission with a lost answer succeeds if the insurer's list is five minutes late", async () => {
    manner.lagMs = 5 * MINUTE;
    does = { north: "loses" };
    const lost = await submit(north, applicationBody());
    await settle();
    expect((await again(lost)).status).toBe(201);
  });

  it("a submission with a lost answer fails after twelve minutes, and is corrected after seven hours, if the insurer's list is an hour late", async () => {
    manner.lagMs = HOUR;
    does = { north: "loses" };
    const lost = await submit(north, applicationBody());
    await pass(2_000, 30_000, 2 * MINUTE);
    const waiting = await brokers.submit(north, lost.body, lost.key);
    const problem = await problemIn(waiting);
    expect(problem).toMatchObject({ code: "OUTCOME_UNKNOWN" });
    expect(Number(waiting.headers.get("retry-after"))).toBe(569);
    const { href } = Object(problem.reconciliation);
    const state = await brokers.ask(north, href);
    expect(Number(state.headers.get("retry-after"))).toBe(569);
    expect(Date.parse(Object(await state.json()).askAgainAt)).toBe(brokers.time.now() + 569_000);
    await pass(10 * MINUTE);
    expect(codeIn(await again(lost))).toBe("PROVIDER_REJECTED");
    await pass(7 * HOUR);
    expect((await again(lost)).status).toBe(201);
  });
});

describe("lists of an insurer with two brokers", () => {
  it.each<[string, Partial<typeof manner>]>([
    ["lists each broker's applications separately", { lists: "the broker's" }],
    ["lists the applications of all brokers", { lists: "all" }],
  ])(
    "the gateway concludes every submission with a lost answer at an insurer that %s",
    async (_, more) => {
      Object.assign(manner, more);
      does = { north: "loses", south: "ignores" };
      const [carriedOut, ignored] = [
        await submit(north, applicationBody()),
        await submit(south, applicationBody()),
      ];
      await settle();
      expect((await again(carriedOut)).status).toBe(201);
      expect(codeIn(await again(ignored))).toBe("PROVIDER_REJECTED");
    },
  );
});
