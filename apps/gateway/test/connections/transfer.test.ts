import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { StorePlace } from "../../src/store/open-store.ts";
import { createEncryption } from "../../src/submissions/encryption.ts";
import { nothingFound } from "../configuration/effects.ts";
import { transfer } from "../harness/transfer-between.ts";
import { type Brokers, CLAIM, KEY_HEADER, keyIn, ONE, startBrokers } from "./brokers.ts";

const TOKEN = "operator-token-7c1d-6f02-4b5e-9a31";
const SECRET = "secret-of-north";
const KEY = Buffer.alloc(32, 1);
const encryption = createEncryption([{ id: "one", secret: KEY }]);
const configured = {
  connections: { claim: CLAIM, keptIn: "store" },
  operations: { connectionsToken: { env: "CONNECTIONS_TOKEN" } },
  submissions: { keys: [{ id: "one", secret: { env: "STORE_KEY" } }] },
};

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let brokers: Brokers;
beforeEach(async () => {
  brokers = await startBrokers(undefined, nothingFound, {
    environment: { CONNECTIONS_TOKEN: TOKEN, STORE_KEY: KEY.toString("base64") },
    more: configured,
  });
});
afterEach(() => brokers.stop());

/** Moves everything from one place to another while no gateway serves, and gives what was in the file. */
async function move(from: StorePlace, to: StorePlace, name: string): Promise<string> {
  await brokers.gateway.end();
  const path = join(brokers.folder.path, name);
  const exported = await transfer("export", from, path, { encryption });
  const imported = await transfer("import", to, path, { encryption });
  expect([exported.error, imported.error]).toEqual([null, null]);
  return readFileSync(path, "latin1");
}

/** Asks with the connection of the tenant north, and checks that it is the one that was added. */
async function useNorth(): Promise<void> {
  const answer = await brokers.ask({ tenant: "north" });
  expect([answer.status, answer.headers.get("ratelimit-policy")]).toEqual([
    200,
    expect.stringContaining('"requests-per-day";q=77;'),
  ]);
  expect(brokers.insurer.arrivals.map(keyIn).at(-1)).toBe(SECRET);
}

it("connections move between a file and PostgreSQL, encrypted all the way, and can be used at each end", async () => {
  const data = join(brokers.folder.path, "data");
  const file = { data, databaseUrl: undefined };
  const database = { data, databaseUrl: await server.createDatabase() };
  await fetch(`${brokers.gateway.operationsAddress}/connections`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({
      id: "n-1",
      segment: "provider-d",
      tenant: { issuer: ONE, name: "north" },
      credentials: { type: "apiKey", header: KEY_HEADER, value: SECRET },
      quotas: { requestsPerDay: 77 },
    }),
  });
  await brokers.time.tick();
  await useNorth();

  const toDatabase = await move(file, database, "to-database");
  await brokers.restart({}, { DATABASE_URL: database.databaseUrl });
  await useNorth();

  for (const name of ["submissions.sqlite", "submissions.sqlite-wal", "submissions.sqlite-shm"])
    rmSync(join(data, name), { force: true });
  const toFile = await move(database, file, "to-file");
  await brokers.restart({});
  await useNorth();

  const stored = readFileSync(join(data, "submissions.sqlite"), "latin1");
  for (const text of [toDatabase, toFile, stored]) expect(text).not.toContain(SECRET);
});
