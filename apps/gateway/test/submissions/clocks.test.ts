import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClockWorld, expectNothingTwice } from "./clock-rounds.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

const stores = {
  "a file": async () => ({}),
  "a database that another process uses": async () => ({
    DATABASE_URL: await server.createDatabase(),
  }),
};

describe.each(Object.entries(stores))("a gateway whose store is %s", (_, makeStore) => {
  it.each([
    ["100 days ahead", 100 * DAY],
    ["100 days behind", -100 * DAY],
    ["an hour ahead", HOUR],
  ])("the gateway sends no submission twice if its clock is %s", async (__, aheadMs) => {
    await expectNothingTwice(await makeStore(), aheadMs);
  });
});

it("a gateway that was stopped for three weeks sends no submission twice, and concludes a submission of unknown outcome", async () => {
  const world = await createClockWorld({});
  const before = await world.start(0);
  await world.submitThree(before);
  await before.end();
  const after = await world.start(21 * DAY);
  await after.time.tick();
  await world.expectKnown(after);
  await world.expectFound(after);
  await after.end();
  await world.close();
});

describe("reports of a wrong clock", () => {
  const metricsOf = async (gateway: { readonly operationsAddress: string }): Promise<string> =>
    (await fetch(`${gateway.operationsAddress}/metrics`)).text();
  const CLOCK = /clock_(ahead|started_behind) (\S+)/g;
  const figuresIn = (metrics: string): object =>
    Object.fromEntries(
      [...metrics.matchAll(CLOCK)].map(([, name, seconds]) => [name, Math.round(Number(seconds))]),
    );

  it("a starting gateway reports a wrong clock if the gateway's clock is before the latest time in the store", async () => {
    const world = await createClockWorld({});
    await (await world.start(HOUR)).end();
    const behind = await world.start(0);
    expect(behind.log.join("")).toMatch(
      /"level":50,.*"seconds":3(?:600|59\d),.*"msg":"the clock is before the latest time in the store"/,
    );
    expect(figuresIn(await metricsOf(behind))).toMatchObject({
      ahead: 0,
      started_behind: expect.closeTo(3_600, -2),
    });
    await behind.end();
    await world.close();
  });

  it.each([
    ["ahead of", HOUR, 3_600],
    ["behind", -HOUR, -3_600],
  ])(
    "a gateway reports once that its clock is wrong, and once that its clock is right again: a clock %s the database's clock",
    async (words, aheadMs, seconds) => {
      const world = await createClockWorld({ DATABASE_URL: await server.createDatabase() });
      const gateway = await world.start(aheadMs);
      for (let round = 0; round < 3; round += 1) await gateway.time.tick();
      const reports = (): readonly string[] =>
        gateway.log.filter((line) => line.includes("the clock of this process"));
      expect(reports()).toEqual([expect.stringContaining(`is ${words} the database's`)]);
      const { ahead } = { ahead: 0, ...figuresIn(await metricsOf(gateway)) };
      expect(Math.abs(ahead - seconds)).toBeLessThan(60);
      gateway.time.jump(Date.now() - gateway.time.now());
      await gateway.time.tick();
      expect(reports().at(-1)).toContain("agrees with the database's clock again");
      await gateway.end();
      await world.close();
    },
  );
});
