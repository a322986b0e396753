import { afterEach, describe, expect, it } from "vitest";
import { applicationBody } from "../harness/applications.ts";
import {
  account,
  BRANDS,
  type Brokers,
  CLAIM,
  keyIn,
  SEARCH,
  startBrokers,
} from "../harness/brokers.ts";
import { type Behaviour, json } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { holding, nothingFound, taking } from "../harness/site.ts";
import { bare401, unauthenticated } from "../insurers/credentials/credential-site.ts";

const north = { tenant: "north" };
const south = { tenant: "south" };
const ids = ["north", "south", "north-a", "south-a"];
const accounts = {
  claim: CLAIM,
  list: [
    account("north", "north"),
    account("south", "south"),
    account("north-a", "north", { segment: "provider-a" }),
    account("south-a", "south", { segment: "provider-a" }),
  ],
};

let brokers: Brokers;
const start = async (
  behaviour: Behaviour,
  provider: object = {},
  more: object = {},
): Promise<void> => {
  brokers = await startBrokers(accounts, behaviour, { ids, provider, more });
};
afterEach(() => brokers.stop());

/** Returns the behaviour of an insurer that treats one account differently. */
function unless(id: string, special: Behaviour, usual: Behaviour): Behaviour {
  return (response, arrival) => (keyIn(arrival) === id ? special : usual)(response, arrival);
}

async function operatorSees(segment = "provider-d"): Promise<{
  readonly state: string | undefined;
  readonly refused: readonly string[] | undefined;
  readonly gauge: string;
  readonly breaker: string;
}> {
  // The answer of the operations address has a list of providers. The test reads only these members of the list.
  const { items } = (await (await brokers.operator("/providers")).json()) as {
    readonly items: readonly {
      readonly segment: string;
      readonly state: string;
      readonly refusedAccounts: readonly string[];
    }[];
  };
  const found = items.find((item) => item.segment === segment);
  const metrics = await (await brokers.operator("/metrics")).text();
  const seriesOf = (series: string): string =>
    metrics.split("\n").find((line) => line.startsWith(`insurance_gateway_${series} `)) ?? "";
  return {
    state: found?.state,
    refused: found?.refusedAccounts,
    gauge: seriesOf(`accounts_refused{provider="${segment}"}`).split(" ")[1] ?? "",
    breaker: seriesOf(`breaker_state{provider="${segment}",state="closed"}`).split(" ")[1] ?? "",
  };
}

describe("wrong credentials of one account", () => {
  it("the gateway reports refused credentials to the account's callers and to the operator, and the insurer's state stays `up`", async () => {
    await start(unless("north", bare401, nothingFound));
    for (let count = 0; count < 8; count += 1) {
      const refused = await brokers.ask(north);
      expect(refused.status).toBe(502);
      expect(await problemIn(refused)).toMatchObject({ code: "PROVIDER_AUTH_FAILED" });
    }
    expect((await brokers.ask(south)).status).toBe(200);
    expect(await operatorSees()).toEqual({
      state: "up",
      refused: ["north"],
      gauge: "1",
      breaker: "1",
    });
    const logged = brokers.gateway.log.map((line) => JSON.parse(line));
    expect(
      logged.filter(({ msg }) => msg === "an insurer refuses an account's credentials"),
    ).toMatchObject([{ provider: "provider-d", account: "north" }]);
    const lines = logged.filter(({ msg }) => msg === "request");
    expect(new Set(lines.map(({ code, account: id }) => `${id} ${code}`))).toEqual(
      new Set(["north PROVIDER_AUTH_FAILED", "south null"]),
    );
    brokers.insurer.behaviour = nothingFound;
    expect((await brokers.ask(north)).status).toBe(200);
    expect(await operatorSees()).toMatchObject({ refused: [], gauge: "0" });
  });

  it("the gateway stops only the submissions of the account whose credentials the insurer refuses", async () => {
    await start(unless("north", unauthenticated, taking()));
    expect((await brokers.submit(north, applicationBody())).status).toBe(502);
    const { length } = brokers.insurer.arrivals;
    for (let count = 0; count < 3; count += 1) {
      const stopped = await brokers.submit(north, applicationBody());
      expect(await problemIn(stopped)).toMatchObject({
        code: "PROVIDER_AUTH_FAILED",
        outcome: "not_sent",
      });
      expect((await brokers.submit(south, applicationBody())).status).toBe(201);
    }
    const later = brokers.insurer.arrivals.slice(length);
    expect(later.map(keyIn)).toEqual(["south", "south", "south"]);
  });

  it("the gateway reconciles an account's submission without a delay while the insurer refuses another account's credentials", async () => {
    const lost: Behaviour = (response) => response.destroy();
    const withoutBreaker = { breaker: { failuresInRow: 10_000, minCalls: 10_000 } };
    await start(lost, withoutBreaker, { submissions: { queriesPerSecond: 1_000 } });
    for (let count = 0; count < 12; count += 1) await brokers.submit(north, applicationBody());
    await brokers.submit(south, applicationBody());
    const before = brokers.insurer.arrivals.length;
    brokers.insurer.behaviour = unless("north", bare401, nothingFound);
    // Submissions of both accounts are due for reconciliation, first the submissions of `north`.
    brokers.time.forward(60_000);
    await brokers.time.tick();
    const queries = brokers.insurer.arrivals.slice(before).map(keyIn);
    expect(queries).toContain("south");
    expect(queries.filter((key) => key === "north").length).toBeLessThan(9);
  });
});

describe("a failing insurer of several accounts", () => {
  it("the gateway reports a failing insurer as `down` for all accounts, and reports no refused credentials", async () => {
    await start(json(500, {}), { retries: { attempts: 1 } });
    for (let count = 0; count < 6; count += 1) await brokers.ask(north);
    const { length } = brokers.insurer.arrivals;
    expect(await problemIn(await brokers.ask(south))).toMatchObject({
      code: "PROVIDER_UNAVAILABLE",
    });
    expect(brokers.insurer.arrivals).toHaveLength(length);
    expect(await operatorSees()).toMatchObject({
      state: "down",
      refused: [],
      gauge: "0",
      breaker: "0",
    });
  });
});

describe("a failing insurer and an account with refused credentials", () => {
  const codeOf = async (...asked: Parameters<Brokers["ask"]>): Promise<string> => {
    const response = await brokers.ask(...asked);
    return response.ok ? "200" : (await problemIn(response)).code;
  };
  const down: Behaviour = (response) => response.destroy();
  const refusingNorth = unless("north", bare401, nothingFound);

  it("the gateway reports refused credentials at one insurer separately from the failure of another insurer", async () => {
    const behaviour: Behaviour = (response, arrival) =>
      (arrival.url.includes("brands") ? down : refusingNorth)(response, arrival);
    await start(behaviour, { retries: { attempts: 1 } });
    const seen = new Set<string>();
    for (let count = 0; count < 8; count += 1)
      for (const tenant of ["north", "south"]) {
        seen.add(`${tenant} at D: ${await codeOf({ tenant })}`);
        seen.add(`${tenant} at A: ${await codeOf({ tenant }, BRANDS)}`);
      }
    expect([...seen].toSorted()).toEqual([
      "north at A: PROVIDER_UNAVAILABLE",
      "north at A: PROVIDER_UNREACHABLE",
      "north at D: PROVIDER_AUTH_FAILED",
      "south at A: PROVIDER_UNAVAILABLE",
      "south at A: PROVIDER_UNREACHABLE",
      "south at D: 200",
    ]);
    expect(await operatorSees("provider-d")).toEqual({
      state: "up",
      refused: ["north"],
      gauge: "1",
      breaker: "1",
    });
    expect(await operatorSees("provider-a")).toEqual({
      state: "down",
      refused: [],
      gauge: "0",
      breaker: "0",
    });
  });

  it("the gateway reports a failing insurer separately from one account's refused credentials at the same insurer", async () => {
    await start(refusingNorth, { retries: { attempts: 1 } });
    expect(await codeOf(north)).toBe("PROVIDER_AUTH_FAILED");
    brokers.insurer.behaviour = down;
    for (let count = 0; count < 6; count += 1) await codeOf(south);
    expect(await codeOf(south)).toBe("PROVIDER_UNAVAILABLE");
    expect(await operatorSees()).toMatchObject({ state: "down", refused: ["north"] });
    brokers.insurer.behaviour = refusingNorth;
    brokers.time.forward(120_000);
    expect(await codeOf(south)).toBe("200");
    expect(await codeOf(north)).toBe("PROVIDER_AUTH_FAILED");
    expect(await operatorSees()).toMatchObject({ refused: ["north"], breaker: "1" });
  });
});

describe("memory and limits of several accounts", () => {
  it("the gateway answers an account's lookup from another account's cached answer when the insurer fails", async () => {
    await start(json(200, { items: [{ code: "FIAT", name: "Fiat" }] }), {
      answers: { freshMinutes: 60 },
    });
    expect((await brokers.ask(north, BRANDS)).status).toBe(200);
    brokers.time.forward(2 * 3_600_000);
    brokers.insurer.behaviour = (response) => response.destroy();
    const stale = await brokers.ask(south, BRANDS);
    expect(stale.status).toBe(200);
    expect(stale.headers.get("cache-status")).toContain("hit");
  });

  it("the request limit counts a caller's requests separately for each tenant", async () => {
    await start(nothingFound, { callerLimit: { requests: 2 } });
    const statuses = async (tenant: object): Promise<readonly number[]> => [
      (await brokers.ask(tenant)).status,
      (await brokers.ask(tenant)).status,
      (await brokers.ask(tenant)).status,
    ];
    expect(await statuses(north)).toEqual([200, 200, 429]);
    expect(await statuses(south)).toEqual([200, 200, 429]);
  });

  it("each account has a separate budget for retries", async () => {
    const unlimited = { breaker: { failuresInRow: 10_000, minCalls: 10_000 } };
    await start(json(500, {}), { ...unlimited, retries: { budgetPercent: 1, firstWaitMs: 1 } });
    for (let count = 0; count < 8; count += 1) await brokers.ask(north);
    const used = brokers.insurer.arrivals.length;
    await brokers.ask(north);
    expect(brokers.insurer.arrivals.length - used).toBe(1);
    await brokers.ask(south);
    expect(brokers.insurer.arrivals.length - used).toBe(4);
  });
});

describe("the slots of an insurer", () => {
  it("the gateway prefers other accounts' calls while one account uses too large a share of an insurer's slots", async () => {
    const held = holding(nothingFound);
    await start(held.behaviour, { bulkhead: { running: 4, queued: 8, queueMs: 60_000 } });
    const reached = async (count: number): Promise<void> => {
      await expect.poll(() => brokers.insurer.arrivals.length).toBe(count);
    };
    const queued = async (count: number): Promise<void> => {
      const read = async (): Promise<string> => (await brokers.operator("/metrics")).text();
      const line = `calls_queued{provider="provider-d"} ${count}`;
      await expect.poll(read).toContain(line);
    };
    const calls = Array.from({ length: 10 }, () => brokers.ask(north, SEARCH));
    await reached(4);
    await queued(6);
    calls.push(brokers.ask(south, SEARCH), brokers.ask(south, SEARCH));
    await queued(8);
    const next = holding(nothingFound);
    brokers.insurer.behaviour = next.behaviour;
    held.release();
    await reached(8);
    // All four calls with a slot were calls of `north`. Two of the next four are calls of `south`, which were sent
    // last.
    const later = brokers.insurer.arrivals.slice(4, 8).map(keyIn);
    expect(later.toSorted()).toEqual(["north", "north", "south", "south"]);
    next.release();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(12).fill(200));
  });
});
