import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import { startWorld, timesOf, type World } from "./schedule-world.ts";

describe("the queries to one insurer", () => {
  it("the gateway starts exactly as many queries as the rate limit of five per second allows, oldest submission first", async () => {
    const world = startWorld(40);
    await world.pass(20_000);
    expect(world.made.map(({ number }) => number)).toEqual(world.dueAt.map((_, number) => number));
    const times = timesOf(world);
    // At 1,500 ms, the process begins to reconcile the insurer, and then reads the due submissions.
    expect(times[0]).toBe(1_500);
    for (const [index, at] of times.entries()) {
      const inTheLastSecond = times.slice(0, index + 1).filter((one) => at - one < 1_000);
      expect(inTheLastSecond.length).toBeLessThanOrEqual(5);
    }
    expect(times.at(-1)).toBe(1_500 + 7 * 1_000);
  });

  it("a query of a submission starts at most half a second after the query is due", async () => {
    const world = startWorld(1);
    world.dueAt[0] = 7_010;
    await world.pass(10_000);
    expect(timesOf(world)).toEqual([7_500]);
    expect(world.made[0]?.probe).toBe(false);
  });

  it("the gateway reads due submissions from the store every half second while no query is due", async () => {
    const world = startWorld(0);
    await world.pass(3_400);
    expect(world.storeCalls).toEqual(["due at 1500", "due at 2000", "due at 2500", "due at 3000"]);
  });

  it("a query starts as soon as the rate limit allows the query, even between two reads of the store", async () => {
    const world = startWorld(9);
    world.dueAt.fill(1_600, 1);
    const first = Promise.withResolvers<boolean>();
    world.query = () => first.promise;
    await world.pass(1_650);
    world.query = async () => true;
    first.resolve(true);
    await setImmediate();
    await world.pass(2_000);
    // For the rate limit, the first query counts until 2,500 ms, and the next four queries count until 2,650 ms.
    expect(timesOf(world).join(" ")).toBe("1500 1650 1650 1650 1650 2500 2650 2650 2650");
  });

  it("the rate limit of queries counts each request of a query with several pages", async () => {
    const world = startWorld(2, {
      async reconcile(_, { waitForTurn }) {
        for (let page = 0; page < 4; page++) {
          await waitForTurn();
          pages.push(world.now());
        }
        world.dueAt.fill(null);
        return "answered";
      },
    });
    const pages: number[] = [];
    await world.pass(5_000);
    expect(pages).toEqual([...Array.from({ length: 5 }, () => 1_500), 2_500, 2_500, 2_500]);
  });
});

it("the gateway sends no queries while the insurer has maintenance", async () => {
  let isMaintained = true;
  const world = startWorld(1, { isMaintained: () => isMaintained });
  await world.pass(5_000);
  expect(world.made).toEqual([]);
  isMaintained = false;
  await world.pass(500);
  expect(timesOf(world)).toEqual([5_500]);
});

it("the gateway runs at most eight queries at a time, and starts the next query when one of the eight ends", async () => {
  const world = startWorld(20, { queriesPerSecond: () => 1_000 });
  const ends: (() => void)[] = [];
  world.query = () => new Promise((resolve) => ends.push(() => resolve(true)));
  await world.pass(5_000);
  expect(world.underWay()).toBe(8);
  for (let ended = 1; ended <= 12; ended++) {
    ends[ended - 1]?.();
    await setImmediate();
    expect(world.underWay()).toBe(8);
    expect(world.made.map(({ number }) => number)).toEqual(
      Array.from({ length: 8 + ended }, (_, number) => number),
    );
  }
});

it("a caller's request for a submission's state makes the next query due, unless a query was sent in the last ten seconds", async () => {
  const world = startWorld(0);
  await world.pass(20_000);
  world.schedule.requestQuery("one");
  await setImmediate();
  expect(world.storeCalls.at(-1)).toBe("bring one forward at 20000, unless since 10000");
  expect(world.failures, "a store that is not available").toEqual([]);
});

describe("several processes that share a store", () => {
  it("a process asks every 1.5 seconds to reconcile an insurer, and sends no queries while another process reconciles the insurer", async () => {
    const world = startWorld(3, { shared: true });
    world.lead = async () => false;
    await world.pass(6_100);
    expect(world.storeCalls).toEqual([
      "lead at 1500",
      "lead at 3000",
      "lead at 4500",
      "lead at 6000",
    ]);
    world.lead = async () => true;
    await world.pass(1_900);
    // At 7,500 ms, the store allows the process to reconcile the insurer.
    expect(timesOf(world)).toEqual([8_000, 8_000, 8_000]);
  });

  it("a process uses the same random id whenever the process asks the store for the right to reconcile an insurer", async () => {
    const askedFor = async (): Promise<readonly string[]> => {
      const asked: string[] = [];
      const world = startWorld(0, { shared: true });
      world.lead = async (segment, owner) => {
        asked.push(`${segment} ${Buffer.from(owner).toString("hex")}`);
        return false;
      };
      await world.pass(3_100);
      return asked;
    };
    const [first = "", ...others] = await askedFor();
    expect(first).toMatch(/^motor [0-9a-f]{32}$/);
    expect(others).toEqual([first]);
    expect(await askedFor()).not.toContain(first);
  });

  it("a process reconciles an insurer for four seconds after the process asked the store, even if the store answers late", async () => {
    const world = startWorld(9, { shared: true, queriesPerSecond: () => 1_000 });
    for (const number of world.dueAt.keys()) world.dueAt[number] = 1_000 * number;
    const answers: ((leads: boolean) => void)[] = [];
    world.lead = () => new Promise((resolve) => answers.push(resolve));
    await world.pass(4_000);
    answers[0]?.(true);
    await setImmediate();
    await world.pass(6_000);
    expect(world.storeCalls.filter((one) => one.startsWith("lead"))).toEqual([
      "lead at 1500",
      "lead at 5500",
    ]);
    // The process reconciles the insurer from 4,000 ms until a time before 5,500 ms.
    expect(world.storeCalls.filter((one) => one.startsWith("due")).at(-1)).toBe("due at 5000");
    expect(world.made.map(({ number }) => number)).toEqual([0, 1, 2, 3, 4, 5]);
    answers[1]?.(false);
    await world.pass(2_000);
    expect(world.made).toHaveLength(6);
  });

  it("a process reconciles an insurer without a request to the store if no other process can use the store", async () => {
    const world = startWorld(1);
    world.lead = async () => false;
    await world.pass(2_000);
    expect(world.made).toHaveLength(1);
    expect(world.storeCalls.some((one) => one.startsWith("lead"))).toBe(false);
  });
});

it("a fault of the store stops the queries for five seconds, and is reported", async () => {
  const world = startWorld(1, { queriesPerSecond: () => 1_000 });
  const fault = new StoreUnavailableError("ECONNREFUSED", false);
  world.query = () => Promise.reject(fault);
  await world.pass(3_000);
  expect(timesOf(world)).toEqual([1_500]);
  expect(world.failures).toEqual([fault]);
  world.query = async () => true;
  await world.pass(6_000);
  expect(timesOf(world)).toEqual([1_500, 6_500]);
});

describe("an insurer that answers no query", () => {
  it("the gateway queries the insurer three times, and then sends only a probe every ten seconds until the insurer answers", async () => {
    const world = startWorld(10, { queriesPerSecond: () => 1_000 });
    const ends: ((isAnswered: boolean) => void)[] = [];
    world.query = () => new Promise((resolve) => ends.push(resolve));
    await world.pass(2_000);
    expect(world.made).toHaveLength(8);
    // The queries in progress end one after the other. The first three failures stop further queries.
    for (const end of ends.splice(0, 3)) end(false);
    await setImmediate();
    await world.pass(5_000);
    for (const end of ends.splice(0)) end(false);
    await setImmediate();
    world.query = async () => false;
    const before = world.made.length;
    await world.pass(24_900);
    expect(world.made.slice(before)).toMatchObject([
      { at: 12_000, probe: true },
      { at: 22_000, probe: true },
    ]);
    world.query = async () => true;
    await world.pass(2_100);
    const later = world.made.slice(before + 2);
    expect(later[0]).toMatchObject({ at: 32_000, probe: true });
    expect(world.storeCalls).toContain("bring motor forward at 32000");
    expect(later.slice(1).every(({ at, probe }) => at === 32_000 && !probe)).toBe(true);
    expect(world.dueAt.every((at) => at === null)).toBe(true);
  });

  it("the gateway continues to query the insurer as long as the insurer answers one of three queries", async () => {
    const world = startWorld(12, { queriesPerSecond: () => 1_000 });
    world.query = async ({ number }) => number % 3 === 2;
    await world.pass(4_000);
    expect(world.made.map(({ number }) => number).slice(0, 12)).toEqual(
      world.dueAt.map((_, number) => number),
    );
    expect(world.storeCalls.some((one) => one.startsWith("probe"))).toBe(false);
  });

  it("the gateway queries a recovered insurer again, and returns to probes only after three more failures", async () => {
    const world = startWorld(1);
    world.query = async () => false;
    await world.pass(22_000);
    // Each query that got no answer is due again after ten seconds.
    expect(timesOf(world)).toEqual([1_500, 11_500, 21_500]);
    world.schedule.insurerRecovered("another", null);
    await world.pass(500);
    expect(world.made).toHaveLength(3);
    world.schedule.insurerRecovered("motor", null);
    await world.pass(40_000);
    expect(world.storeCalls.filter((one) => one.startsWith("bring"))).toEqual([
      "bring motor forward at 23000",
    ]);
    expect(world.made.slice(3)).toMatchObject([
      { at: 23_000, probe: false },
      { at: 33_000, probe: false },
      { at: 43_000, probe: false },
      { at: 53_000, probe: true },
    ]);
  });
});

describe("an account whose credentials the insurer refuses", () => {
  async function refusedWorld(): Promise<World> {
    const world = startWorld(4, { queriesPerSecond: () => 1_000 });
    world.query = async () => "no_credentials";
    await world.pass(22_000);
    // Four queries were in progress before the first refusal. After that, one query is tried every ten seconds.
    expect(timesOf(world)).toEqual([1_500, 1_500, 1_500, 1_500, 11_500, 21_500]);
    world.query = async () => true;
    return world;
  }

  it("an account's queries continue at once when another call finds that the insurer accepts the account's credentials", async () => {
    const world = await refusedWorld();
    world.schedule.insurerRecovered("motor", "default");
    await world.pass(500);
    expect(timesOf(world).slice(6)).toEqual([22_500, 22_500, 22_500, 22_500]);
    await world.pass(5_000);
    expect(
      world.storeCalls.filter((one) => one.startsWith("bring")),
      "once",
    ).toEqual(["bring motor of default forward at 22500"]);
  });

  it("an account's queries continue when the insurer answers the query that tries the account's credentials", async () => {
    const world = await refusedWorld();
    await world.pass(10_000);
    expect(timesOf(world).slice(6)).toEqual([31_500, 31_500, 31_500, 31_500]);
    expect(world.storeCalls).toContain("bring motor of default forward at 31500");
  });

  it("an account's queries stay stopped while the query that tries the account's credentials has no answer", async () => {
    const world = await refusedWorld();
    world.query = async () => false;
    await world.pass(12_000);
    expect(timesOf(world).slice(6)).toEqual([31_500]);
    expect(world.storeCalls.filter((one) => one.startsWith("bring"))).toEqual([]);
  });
});

describe("a stop of the schedule", () => {
  it("a stopping gateway sends the queries that wait for the rate limit, starts no further query, and waits for running queries", async () => {
    const world = startWorld(20);
    await world.pass(1_500);
    expect(world.made).toHaveLength(5);
    const end = Promise.withResolvers<boolean>();
    world.query = () => end.promise;
    expect(world.underWay()).toBe(8);
    world.stopping.abort();
    let isStopped = false;
    const stopped = world.schedule.stop().then(() => {
      isStopped = true;
    });
    await setImmediate();
    expect(world.made).toHaveLength(5 + 8);
    expect(isStopped).toBe(false);
    end.resolve(true);
    await stopped;
    expect(world.made).toHaveLength(5 + 8);
    await world.pass(5_000);
    expect(world.made).toHaveLength(5 + 8);
  });
});
