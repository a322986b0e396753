import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, beforeAll } from "vitest";
import { makePostgresPlace, makeSqlitePlace } from "../harness/store-places.ts";
import { describeStore } from "./suite/store-suite.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

describeStore("an SQLite store", makeSqlitePlace);
describeStore("a PostgreSQL store", () => makePostgresPlace(server));
