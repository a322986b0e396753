import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, beforeAll } from "vitest";
import { crossAccounts } from "./crossings.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

crossAccounts("SQLite", 10_000);
crossAccounts("PostgreSQL", 5_000, async () => ({ DATABASE_URL: await server.createDatabase() }));
