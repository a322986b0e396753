import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, beforeAll, describe, it } from "vitest";
import { accountSeed, cross } from "./crossings.ts";
import { overHttp } from "./world-sites.ts";

const SEED = accountSeed();

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

describe(`random calls of several tenants over HTTP and PostgreSQL (ACCOUNT_SEED=${SEED})`, () => {
  it.each([1, 5])(
    "each call uses only the account of the caller's tenant, with %i tenants at each of two issuers",
    async (tenants) => {
      const start = overHttp({ DATABASE_URL: await server.createDatabase() });
      await cross({ tenants, steps: 5_000, seed: SEED + tenants, start });
    },
  );
});
