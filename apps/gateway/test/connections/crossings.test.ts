import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Environment } from "../../src/configuration/load.ts";
import { type Step, startWorld, steps } from "./world.ts";

/** How many steps are done at once: what happens at the same time is what gets mixed up. */
const AT_ONCE = 20;

/** CONNECTION_STEPS asks for more, CONNECTION_SEED for the same again. */
const COUNT = Number(process.env.CONNECTION_STEPS ?? 1_000);
const SEED = Number(process.env.CONNECTION_SEED ?? Math.floor(Math.random() * 2 ** 31));

async function cross(tenants: number, count: number, environment?: Environment): Promise<void> {
  const world = await startWorld({
    tenants,
    callerLimit: Math.ceil(count / 40),
    ...(environment === undefined ? {} : { environment }),
  });
  onTestFinished(() => world.stop());
  const all: readonly Step[] = fc.sample(steps, { seed: SEED, numRuns: count });
  let arrivals = 0;
  for (let from = 0; from < all.length; from += AT_ONCE) {
    await world.run(all.slice(from, from + AT_ONCE));
    arrivals += world.check();
  }
  expect(arrivals).toBeGreaterThan(count / 20);
}

describe(`nothing crosses connections (CONNECTION_SEED=${SEED})`, { timeout: 600_000 }, () => {
  it.each([1, 5])("of %i tenants at each of two issuers, in a file", (tenants) =>
    cross(tenants, COUNT / 2),
  );

  describe("in PostgreSQL", () => {
    let server: RunningPostgres;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server.remove());

    it("of 5 tenants at each of two issuers", async () => {
      await cross(5, COUNT, { DATABASE_URL: await server.createDatabase() });
    });
  });
});
