import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, beforeAll, describe, it } from "vitest";
import { expectNothingTwice } from "./clock-rounds.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

/** How far a clock is wrong in each round, in hours. */
const ROUNDS = [1, -1, 13, -13, 25, -25, 100 * 24, -100 * 24, 400 * 24, -400 * 24];

describe.each([
  ["a file", async () => ({})],
  [
    "a database that another process uses",
    async () => ({ DATABASE_URL: await server.createDatabase() }),
  ],
])("a gateway on %s", (_, makeStore) => {
  it.each(ROUNDS)(
    "carries nothing out twice with a clock that is %i hours ahead",
    async (hours) => {
      await expectNothingTwice(await makeStore(), hours * 3_600_000);
    },
  );
});
