import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, beforeAll, describe } from "vitest";
import { chaosTests } from "./chaos-tests.ts";
import { createPostgresPlace } from "./place.ts";

describe("two gateways with PostgreSQL behind a load balancer", () => {
  let postgres: RunningPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.remove());

  chaosTests((use) => createPostgresPlace(postgres, use));
});
