import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { roundsToRun, seedOfRun } from "./chance.ts";
import { createPostgresPlace, sqlitePlace } from "./place.ts";
import { runTwoBrokers } from "./two-brokers.ts";

let postgres: RunningPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.remove());

it("two brokers of one insurer never receive each other's results, and each submission is concluded, with SQLite", async () => {
  expect(await runTwoBrokers(sqlitePlace, roundsToRun(), seedOfRun())).toEqual([]);
});

it("two brokers of one insurer never receive each other's results, and each submission is concluded, with PostgreSQL", async () => {
  const place = await createPostgresPlace(postgres, { isBroken: false });
  expect(await runTwoBrokers(place, roundsToRun(), seedOfRun())).toEqual([]);
});
