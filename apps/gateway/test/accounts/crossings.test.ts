import { describe, it } from "vitest";
import { accountSeed, cross } from "./crossings.ts";
import { inMemory, overHttp } from "./world-sites.ts";

/** ACCOUNT_STEPS asks for more. */
const COUNT = Number(process.env.ACCOUNT_STEPS ?? 10_000);
const SEED = accountSeed();

describe(`nothing crosses accounts (ACCOUNT_SEED=${SEED})`, { timeout: 600_000 }, () => {
  it.each([1, 2, 3, 5])(
    "nothing crosses accounts of %i tenants at each of two issuers",
    (tenants) => cross({ tenants, steps: COUNT / 4, seed: SEED + tenants, start: inMemory }),
  );

  it("over HTTP, with submissions in a file", () =>
    cross({ tenants: 5, steps: 400, seed: SEED, start: overHttp() }));
});
