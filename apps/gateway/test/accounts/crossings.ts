import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Environment } from "../../src/configuration/load.ts";
import { ONE, OTHER } from "../harness/brokers.ts";
import { type Step, startWorld } from "./world.ts";

const sender = {
  issuer: fc.constantFrom(ONE, OTHER),
  subject: fc.constantFrom("platform", "portal"),
  tenant: fc.nat({ max: 10 }),
};

/**
 * Generates random steps, most of which are requests. The cast is needed because fast-check infers `string` for the
 * constants of a record.
 */
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ does: fc.constantFrom("search", "lookup", "page"), ...sender }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant("submit"),
      key: fc.option(fc.nat({ max: 40 })),
      content: fc.nat({ max: 20 }),
      ...sender,
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("status"), of: fc.nat(), ...sender }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("mode"),
      account: fc.nat({ max: 19 }),
      mode: fc.constantFrom("answers", "answers", "refuses credentials", "loses answers", "fails"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant("time"), seconds: fc.integer({ min: 1, max: 90 }) }),
  },
) as fc.Arbitrary<Step>;

/** Number of steps that run at the same time. Simultaneous calls are the most likely to use a wrong account. */
const AT_ONCE = 20;

/** The seed of the random steps. */
const SEED = Number(process.env.ACCOUNT_SEED ?? 77);

/** Runs random steps. Fails if a request, an answer or counted usage belongs to a wrong account. */
async function cross(tenants: number, count: number, environment: Environment): Promise<void> {
  const limit = Math.ceil(count / 40);
  const world = await startWorld({ tenants, callerLimit: limit, quota: limit, environment });
  onTestFinished(() => world.stop());
  const all: readonly Step[] = fc.sample(steps, { seed: SEED + tenants, numRuns: count });
  const reached = new Set<string>();
  for (let from = 0; from < all.length; from += AT_ONCE) {
    await world.run(all.slice(from, from + AT_ONCE));
    for (const account of world.check()) reached.add(account);
  }
  expect(world.submitters.filter((account) => !reached.has(account))).toEqual([]);
  await world.checkUsage();
}

/**
 * Declares tests in which several tenants send random calls to gateways.
 * @param store - the name of the store for the title
 * @param count - number of random steps for each gateway
 * @param environmentOf - returns the environment variables of a gateway with an empty database
 */
export function crossAccounts(
  store: "SQLite" | "PostgreSQL",
  count: number,
  environmentOf: () => Promise<Environment> = async () => ({}),
): void {
  describe(`random calls of several tenants with ${store} (ACCOUNT_SEED=${SEED})`, {
    timeout: 600_000,
  }, () => {
    it.each([1, 2, 3, 5])(
      "each call uses only the account of the caller's tenant, with %i tenants at each of two issuers",
      async (tenants) => cross(tenants, count, await environmentOf()),
    );
  });
}
