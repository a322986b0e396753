import { describe, it } from "vitest";
import { accountSeed, cross } from "./crossings.ts";
import { inMemory, overHttp } from "./world-sites.ts";

/** Number of steps. ACCOUNT_STEPS changes it. */
const COUNT = Number(process.env.ACCOUNT_STEPS ?? 10_000);
const SEED = accountSeed();

describe(`random calls of several tenants (ACCOUNT_SEED=${SEED})`, { timeout: 600_000 }, () => {
  it.each([1, 2, 3, 5])(
    "each call uses only its own tenant's account, with %i tenants at each of two issuers",
    (tenants) => cross({ tenants, steps: COUNT / 4, seed: SEED + tenants, start: inMemory }),
  );

  it("each call uses only its own tenant's account over HTTP and a SQLite file", () =>
    cross({ tenants: 5, steps: 400, seed: SEED, start: overHttp() }));
});
