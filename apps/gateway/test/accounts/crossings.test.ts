import { describe, it } from "vitest";
import { accountSeed, cross } from "./crossings.ts";
import { inMemory, overHttp } from "./world-sites.ts";

/** Number of random steps. The environment variable ACCOUNT_STEPS changes the number. */
const COUNT = Number(process.env.ACCOUNT_STEPS ?? 10_000);
const SEED = accountSeed();

describe(`random calls of several tenants (ACCOUNT_SEED=${SEED})`, { timeout: 600_000 }, () => {
  it.each([1, 2, 3, 5])(
    "each call uses only the account of the caller's tenant, with %i tenants at each of two issuers",
    (tenants) => cross({ tenants, steps: COUNT / 4, seed: SEED + tenants, start: inMemory }),
  );

  it("each call uses only the account of the caller's tenant, over HTTP and with a SQLite file", () =>
    cross({ tenants: 5, steps: 400, seed: SEED, start: overHttp() }));
});
