import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Step, startWorld, steps } from "./world.ts";
import { inMemory, type StartSite } from "./world-sites.ts";

/** How many steps are done at once: what happens at the same time is what gets mixed up. */
const AT_ONCE = 20;

/** An action in a world. */
export interface Crossing {
  /** How many tenants of each of two issuers have accounts to two providers: 1 to 5. */
  readonly tenants: number;
  readonly steps: number;
  readonly seed: number;
  readonly start: StartSite;
}

/** Does steps that are drawn, and fails when something crosses accounts. */
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

/** The seed of the steps: the same each time, unless ACCOUNT_SEED names another. Some seeds draw too few submissions. */
export function accountSeed(): number {
  return Number(process.env.ACCOUNT_SEED ?? 77);
}

/** The number of steps of the scale suite in one world; a world's submissions are searched one by one. */
const STEPS_EACH = 20_000;
const WORLDS = 25;

/** Declares the tests of half a million steps. The two halves are files of their own, so that two processors do them. */
export function crossMany(half: "first" | "second"): void {
  // The same worlds each time: with others, nobody could tell how long the suite takes.
  const given = accountSeed();
  const seed = given + (half === "first" ? 0 : WORLDS);
  describe(`half a million steps (ACCOUNT_SEED=${given})`, () => {
    it.each(Array.from({ length: WORLDS }, (_, index) => ({ index, seed: seed + index })))(
      "world $index, with the seed $seed",
      ({ index, seed: own }) =>
        cross({ tenants: 1 + (index % 5), steps: STEPS_EACH, seed: own, start: inMemory }),
    );
  });
}
