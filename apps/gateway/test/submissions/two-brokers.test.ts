import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { account, type Brokers, CLAIM, keyIn, startBrokers } from "../accounts/brokers.ts";
import { applicationBody, listedApplication } from "../harness/applications.ts";
import { type Behaviour, json } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

// One insurer behind two brokers: what it says to one of them may be the other's.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const north = { tenant: "north", subject: "north" };
const south = { tenant: "south", subject: "south" };
const list = [account("north", "north"), account("south", "south")];

interface Application {
  readonly applicationId: string;
  readonly createdAt: unknown;
  readonly of: string;
}

/** The insurer's records, the newest first. */
let records: (Application & object)[];
/** The insurer's reactions to the applications of a broker; the last one is repeated. */
let does: Readonly<Record<string, "answers" | "loses" | "ignores">>;
/** How it writes an identifier and the time of creation, and whose applications it lists. */
let manner: {
  number: (broker: string) => string;
  time: (at: number) => unknown;
  lists: "all" | "the broker's";
  lagMs: number;
};
/** Whether the insurer recognises an equal application and answers with the first. */
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

function afmOf(one: object): unknown {
  return Reflect.get(Object(Reflect.get(one, "holder")), "afm");
}

function madeAt(one: object): number {
  return Date.parse(String(Reflect.get(one, "updatedAt")));
}

function contentOf(one: object): unknown {
  return [Reflect.get(one, "holder"), Reflect.get(one, "vehicle")];
}

function shown(one: object | undefined): object {
  const { of: _, ...rest }: { of?: string } = { ...one };
  return rest;
}

async function start(): Promise<void> {
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
}

/** Restarts the gateway with a setting of provider D. */
async function configure(compare: object): Promise<void> {
  const providers = [
    {
      package: "@insurance-gateway/provider-d",
      compare,
      upstream: {
        baseUrl: brokers.insurer.baseUrl,
        adapter: "declared",
        credentials: { type: "none" },
      },
    },
  ];
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

/** Sends it again with its key, and returns the answer. */
async function again({ body, key, who }: Sent): Promise<Sent> {
  return submit(who, body, key);
}

async function pass(...waits: readonly number[]): Promise<void> {
  for (const wait of waits) {
    brokers.time.forward(wait);
    await brokers.time.tick();
  }
}

/** The usual queries until absence is proved. */
const settle = (): Promise<void> => pass(2_000, 30_000, 2 * MINUTE, 10 * MINUTE);
const idIn = ({ text }: Sent): unknown => Reflect.get(JSON.parse(text), "applicationId");
const codeIn = ({ text }: Sent): unknown => Reflect.get(JSON.parse(text), "code");

describe("an application of another broker's", () => {
  it("is not taken for a lost one with the same content, in a list of all brokers", async () => {
    await start();
    const body = applicationBody();
    const first = await submit(south, body);
    does = { north: "ignores" };
    const lost = await submit(north, body);
    expect([first.status, lost.status]).toEqual([201, 504]);
    await settle();
    const concluded = await again(lost);
    expect(codeIn(concluded)).toBe("PROVIDER_REJECTED");
    expect(concluded.text).not.toContain(String(idIn(first)));
  });

  it("is nobody's while both outcomes are unknown, and no order decides", async () => {
    await start();
    const body = applicationBody();
    does = { north: "ignores", south: "loses" };
    const lost = [await submit(south, body), await submit(north, body)];
    await settle();
    await pass(HOUR, 6 * HOUR, 24 * HOUR);
    for (const one of lost) expect(codeIn(await again(one))).toBe("OUTCOME_UNKNOWN");
  });

  it.each(["answers", "loses"] as const)(
    "an application of another broker does not prove the success of an equal one; the insurer %s the first",
    async (first) => {
      await start();
      const body = applicationBody();
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
      "in the same second, by an insurer that writes whole seconds",
      500,
      (at) => new Date(at - (at % 1_000)).toISOString(),
    ],
  ])(
    "an application of another broker does not prove the success of an equal one, sent %s",
    async (_, laterMs, time) => {
      await start();
      brokers.time.forward(1_000 - (brokers.time.now() % 1_000));
      manner.time = time;
      does = { south: "loses" };
      const body = applicationBody();
      await submit(south, body);
      recognises = "the application";
      brokers.time.forward(laterMs);
      expect(codeIn(await submit(north, body))).toBe("OUTCOME_UNKNOWN");
    },
  );

  it("another broker's application is not taken for an equal submission that is still in flight", async () => {
    await start();
    const body = applicationBody();
    does = { south: "ignores" };
    await submit(south, body);
    brokers.time.forward(MINUTE);
    // The insurer carries out the first now, after its connection was lost.
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

  it("another broker's open application does not prevent a success that the insurer created for the request", async () => {
    await start();
    const body = applicationBody();
    does = { south: "ignores" };
    await submit(south, body);
    await pass(HOUR);
    brokers.time.forward(1_000);
    expect((await submit(north, body)).status).toBe(201);
  });

  it("another broker's open application prevents a success by an answer without a creation time", async () => {
    await start();
    const body = applicationBody();
    does = { south: "loses" };
    await submit(south, body);
    manner.time = () => "2026-11-29";
    expect(codeIn(await submit(north, body))).toBe("OUTCOME_UNKNOWN");
  });
});

describe("an insurer that numbers each broker by itself", () => {
  async function submitBoth(): Promise<readonly Sent[]> {
    manner.number = () => "D-1";
    return [await submit(south, applicationBody()), await submit(north, applicationBody())];
  }

  it("is believed once the operator has said so; before, the second is unknown, and the log says what to do", async () => {
    await start();
    const [, second] = await submitBoth();
    expect(second?.status).toBe(504);
    expect(brokers.gateway.log.join()).toContain("compare.identifiers");
    await configure({ identifiers: { createApplication: "account" } });
    await pass(2_000);
    expect((await again(second ?? expect.fail())).status).toBe(201);
    expect((await submitBoth())[0]?.status, "twice for one broker").toBe(504);
  });

  it("is not configured for an endpoint without an identifier", async () => {
    await start();
    const wrong = configure({ identifiers: { searchApplications: "account" } });
    await expect(wrong).rejects.toThrow(/identifiers\.searchApplications/);
    await configure({});
  });
});

describe("a submission that the insurer's list shows late", () => {
  it("is not called failed by an insurer whose list lags five minutes", async () => {
    await start();
    manner.lagMs = 5 * MINUTE;
    does = { north: "loses" };
    const lost = await submit(north, applicationBody());
    await settle();
    expect((await again(lost)).status).toBe(201);
  });

  it("is called failed after twelve minutes, and corrected after seven hours", async () => {
    await start();
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

describe("an honest insurer", () => {
  it.each<[string, Partial<typeof manner>]>([
    ["lists each broker's own", { lists: "the broker's" }],
    ["lists all", { lists: "all" }],
  ])("an honest insurer that %s has every lost submission concluded", async (_, more) => {
    await start();
    Object.assign(manner, more);
    does = { north: "loses", south: "ignores" };
    const [carriedOut, ignored] = [
      await submit(north, applicationBody()),
      await submit(south, applicationBody()),
    ];
    await settle();
    expect((await again(carriedOut)).status).toBe(201);
    expect(codeIn(await again(ignored))).toBe("PROVIDER_REJECTED");
  });
});
