import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, beforeAll, describe, it } from "vitest";
import { expectNothingTwice } from "./clock-rounds.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

/** The difference between the gateway's clock and the real time in each round, in hours. */
const ROUNDS = [1, -1, 13, -13, 25, -25, 100 * 24, -100 * 24, 400 * 24, -400 * 24];

describe.each([
  ["a file", async () => ({})],
  [
    "a database that another process uses",
    async () => ({ DATABASE_URL: await server.createDatabase() }),
  ],
])("a gateway whose store is %s", (_, makeStore) => {
  it.each(ROUNDS)(
    "the gateway sends no submission twice if its clock is wrong by %i hours",
    async (hours) => {
      await expectNothingTwice(await makeStore(), hours * 3_600_000);
    },
  );
});
