import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Environment } from "../../../src/configuration/load.ts";
import { problemIn } from "../../harness/problem.ts";
import { type Site, startSite } from "../../harness/site.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let site: Site;
afterEach(() => site.stop());

async function read(path: string): Promise<Record<string, unknown>> {
  const response = await site.ask(path);
  expect(response.status).toBe(200);
  expect(response.headers.get("cache-control")).toBe("no-store");
  const body: unknown = await response.json();
  return Object(body);
}

describe("GET /providers", () => {
  it("GET /providers lists every provider with the provider's state, for callers with a token", async () => {
    site = await startSite({});
    expect(await read("/providers")).toEqual({
      items: ["provider-a", "provider-c", "provider-d"].map((segment) => ({
        segment,
        provider: segment,
        state: "up",
        maintenance: [],
      })),
      at: new Date(site.time.now()).toISOString(),
    });
    expect((await fetch(`${site.gateway.address}/providers`)).status).toBe(401);
    const posted = await fetch(`${site.gateway.address}/providers`, {
      method: "POST",
      headers: { authorization: `Bearer ${site.gateway.token}` },
    });
    expect(posted.status).toBe(405);
  });

  it("GET /providers reports the circuit breaker's state, recent failures, and the operator's maintenance windows", async () => {
    const from = new Date(Date.now() + 3_600_000).toISOString();
    const to = new Date(Date.now() + 7_200_000).toISOString();
    site = await startSite({
      breaker: { failuresInRow: 10_000, failurePercent: 90, minCalls: 30 },
      maintenance: [{ from, to, note: "New system" }],
    });
    const stateOf = async (): Promise<unknown> =>
      (await read("/providers/provider-d/status")).state;
    for (let call = 0; call < 19; call += 1) await site.work();
    await site.fail();
    expect(await stateOf()).toBe("degraded");
    for (let call = 0; call < 250; call += 1) await site.fail();
    expect(await stateOf()).toBe("down");
    expect(await read("/providers/provider-a/status")).toMatchObject({
      state: "up",
      maintenance: [{ from, to, note: "New system" }],
    });
    await site.pass(3_700_000);
    expect(await stateOf()).toBe("maintenance");
  });
});

describe("GET /providers/{segment}/status", () => {
  it("GET /providers/{segment}/status answers 404 for an unknown segment", async () => {
    site = await startSite({});
    const response = await site.ask("/providers/provider-z/status");
    expect(response.status).toBe(404);
    expect(await problemIn(response)).toMatchObject({ code: "NOT_FOUND", provider: null });
  });

  it.each([
    ["a SQLite file", async (): Promise<Environment> => ({})],
    [
      "a PostgreSQL database",
      async (): Promise<Environment> => ({ DATABASE_URL: await server.createDatabase() }),
    ],
  ])(
    "GET /providers/{segment}/status reports 90 days of availability, latest first, from %s",
    async (_, environmentOf) => {
      site = await startSite({}, {}, await environmentOf());
      const days = async (): Promise<readonly { day: string; availability: number | null }[]> => {
        const { days } = await read("/providers/provider-d/status");
        if (!Array.isArray(days)) throw new Error("There are no days");
        return days;
      };
      for (let call = 0; call < 3; call += 1) await site.work();
      await site.fail();
      await site.pass(1_000);
      const [today, ...before] = await days();
      expect(today?.availability).toBe(0.75);
      expect(before).toHaveLength(89);
      expect(before.every(({ availability }) => availability === null)).toBe(true);
      await site.pass(86_400_000);
      expect((await days()).slice(0, 2)).toEqual([
        { day: expect.any(String), availability: null },
        { day: today?.day, availability: 0.75 },
      ]);
      await site.pass(89 * 86_400_000);
      expect((await days()).some(({ availability }) => availability !== null)).toBe(false);
    },
  );

  it("the availability of a provider counts unsent calls to a failing insurer as failures, except during maintenance", async () => {
    const from = new Date(Date.now() + 3_600_000).toISOString();
    const to = new Date(Date.now() + 7_200_000).toISOString();
    site = await startSite({ breaker: { failuresInRow: 2 }, maintenance: [{ from, to }] });
    await site.work();
    for (let call = 0; call < 5; call += 1) await site.fail();
    await site.pass(1_000);
    const first = await read("/providers/provider-d/status");
    expect(first.days).toMatchObject({ 0: { availability: 0.1666 } });
    await site.pass(3_650_000);
    for (let call = 0; call < 5; call += 1) await site.fail();
    await site.pass(10_000);
    const later = await read("/providers/provider-d/status");
    const known = Object.values(Object(later.days)).filter(
      (one) => Object(one).availability !== null,
    );
    expect(known).toMatchObject([{ availability: 0.1666 }]);
  });

  it("GET /providers/{segment}/status reports the state without daily availability while the store is unavailable", async () => {
    site = await startSite({}, {}, { DATABASE_URL: "postgres://nobody@127.0.0.1:9/none" });
    expect(await read("/providers/provider-d/status")).toMatchObject({ state: "up", days: null });
  });
});
