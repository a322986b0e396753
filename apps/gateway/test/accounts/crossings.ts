import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Step, startWorld, steps } from "./world.ts";
import { inMemory, type StartSite } from "./world-sites.ts";

/** Number of simultaneous steps. A gateway would confuse accounts most likely in simultaneous calls. */
const AT_ONCE = 20;

/** Options of a test with random calls of several tenants. */
export interface Crossing {
  /** Number of tenants of each issuer that have accounts to both providers: 1 to 5. */
  readonly tenants: number;
  readonly steps: number;
  readonly seed: number;
  readonly start: StartSite;
}

/** Runs random steps, and fails if a call, an answer or usage belongs to another account. */
export async function cross({ seed, start, steps: count, tenants }: Crossing): Promise<void> {
  const limit = Math.ceil(count / 40);
  const world = await startWorld({ tenants, callerLimit: limit, quota: limit, start });
  onTestFinished(() => world.stop());
  const all: readonly Step[] = fc.sample(steps, { seed, numRuns: count });
  let arrivals = 0;
  for (let from = 0; from < all.length; from += AT_ONCE) {
    await world.run(all.slice(from, from + AT_ONCE));
    arrivals += world.check();
  }
  expect(arrivals).toBeGreaterThan(count / 20);
  await world.checkUsage();
}

/** Returns the seed of the random steps: ACCOUNT_SEED, or 77. With some other seeds, too few steps are submissions. */
export function accountSeed(): number {
  return Number(process.env.ACCOUNT_SEED ?? 77);
}

/**
 * Number of random steps with one gateway in the scale suite. The number is small because the test's store in memory
 * searches submissions one by one.
 */
const STEPS_EACH = 20_000;
const WORLDS = 25;

/**
 * Declares half of the tests with 1,000,000 steps. Each half has a separate file, so that two processors run the tests.
 */
export function crossMany(half: "first" | "second"): void {
  // The seeds are fixed, so that each run takes about the same time.
  const given = accountSeed();
  const seed = given + (half === "first" ? 0 : WORLDS);
  describe(`random calls of several tenants, ${half} half (ACCOUNT_SEED=${given})`, () => {
    it.each(Array.from({ length: WORLDS }, (_, index) => ({ index, seed: seed + index })))(
      "each call uses only the account of the caller's tenant in random run $index, with the seed $seed",
      ({ index, seed: own }) =>
        cross({ tenants: 1 + (index % 5), steps: STEPS_EACH, seed: own, start: inMemory }),
    );
  });
}
