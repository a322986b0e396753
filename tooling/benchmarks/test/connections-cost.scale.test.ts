import { join } from "node:path";
import {
  developmentToken,
  type GatewayFolder,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
// @boundaries-ignore the store is the gateway's own and no package exports it
import { openSqliteStore } from "../../../apps/gateway/src/store/sqlite/sqlite-store.ts";
// @boundaries-ignore the same
import type { SubmissionStore } from "../../../apps/gateway/src/store/store.ts";
import { providerBefore } from "../src/gateway/processes.ts";
import { startProbedGateway } from "./harness/probed-gateway.ts";
import { startWorkInsurer, type WorkInsurer } from "./harness/work-insurer.ts";

const FEW = 2;
const MANY = 10_000;
/** Every request makes more calls than these: a coverage that counts nothing fails. */
const LEAST_CALLS = 400;
const ISSUER = "urn:insurance-gateway:development-issuer";
const OPERATOR_TOKEN = "operator-token-of-the-test-of-cost-1";
const environment = { AGENCY_KEY: "agency-key", OPERATOR_TOKEN };

const idOf = (index: number): string => `connection-${index}`;
const tenantOf = (index: number): string => `tenant-${index}`;
const connectionOf = (index: number, value: unknown): object => ({
  id: idOf(index),
  tenant: { issuer: ISSUER, name: tenantOf(index) },
  segment: "provider-e",
  credentials: { type: "apiKey", header: "x-agency-key", value },
});

let insurer: WorkInsurer;
const folders: GatewayFolder[] = [];
let few: Cost;
beforeAll(async () => {
  insurer = await startWorkInsurer();
  few = await costIn(folderWith(inFile(FEW)));
});
afterAll(() => {
  for (const folder of folders) folder.remove();
  insurer.close();
});

/** What a request of the first connection's tenant costs. */
interface Cost {
  readonly bytes: number;
  readonly calls: number;
}

function inFile(count: number): object {
  const list = Array.from({ length: count }, (_, index) =>
    connectionOf(index, { env: "AGENCY_KEY" }),
  );
  return { connections: { claim: "broker", list } };
}

function folderWith(connections: object): GatewayFolder {
  const folder = makeGatewayFolder({
    providers: [{ package: "@insurance-gateway/provider-e", ...providerBefore(insurer.baseUrl) }],
    ...connections,
  });
  folders.push(folder);
  return folder;
}

/** A folder whose store has so many connections. */
async function folderWithStore(count: number): Promise<GatewayFolder> {
  const folder = folderWith({
    connections: { claim: "broker", keptIn: "store" },
    operations: { connectionsToken: { env: "OPERATOR_TOKEN" } },
  });
  await addFirst(folder);
  const file = join(folder.path, "data", "submissions.sqlite");
  const store = await openSqliteStore({ file, mode: "serve" });
  try {
    await addOthers(store, count - 1);
  } finally {
    await store.close();
  }
  return folder;
}

/** Adds the first connection as an operator does. */
async function addFirst(folder: GatewayFolder): Promise<void> {
  const gateway = await startGatewayProcess(folder.path, environment);
  try {
    const { status } = await fetch(new URL("/connections", gateway.operationsAddress), {
      method: "POST",
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify(connectionOf(0, "agency-key")),
    });
    expect(status).toBe(201);
  } finally {
    await gateway.stop();
  }
}

/** Adds copies of the first connection, whose secrets could not be decrypted: they are bound to its id. Nobody uses them. */
async function addOthers(store: SubmissionStore, count: number): Promise<void> {
  const first = await store.connectionContent(idOf(0));
  if (first === null) throw new TypeError("The gateway has stored the connection");
  const terms = {
    requestsPerDay: null,
    submissionsPerDay: null,
    credentialsEndAt: null,
    certificateEndsAt: null,
  };
  const others = Array.from({ length: count }, (_, index) => ({
    ...first,
    ...terms,
    id: idOf(index + 1),
    issuer: ISSUER,
    tenant: tenantOf(index + 1),
  }));
  await Promise.all(
    others.map((connection) => store.addConnection(connection, { at: 0, by: "M" })),
  );
}

async function costIn(folder: GatewayFolder): Promise<Cost> {
  const token = await developmentToken(folder.path, "--tenant", tenantOf(0));
  const gateway = await startProbedGateway(folder.path, token, environment);
  try {
    // What the first batches allocate depends on when V8 has optimized the code.
    await gateway.allocatedBytes("quote");
    const bytes = await gateway.allocatedBytes("quote");
    const { calls } = await gateway.functionsRun("quote");
    return { bytes, calls };
  } finally {
    await gateway.stop();
  }
}

function expectNoMore(many: Cost): void {
  expect(many.calls).toBeGreaterThan(LEAST_CALLS);
  // A loop over all connections calls a function for each; the timers of the gateway call fewer than a hundred.
  expect(many.calls - few.calls).toBeLessThan(MANY / 20);
  // A list of all connections takes eight bytes for each.
  expect(many.bytes - few.bytes).toBeLessThan(MANY);
}

describe("a request allocates and calls the same with 10,000 connections as with two", () => {
  it("in the file", async () => expectNoMore(await costIn(folderWith(inFile(MANY)))));

  it("in the store", async () => expectNoMore(await costIn(await folderWithStore(MANY))));
});
