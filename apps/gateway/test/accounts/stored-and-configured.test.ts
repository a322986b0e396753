import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { describe, expect, it, onTestFinished } from "vitest";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { applicationBody } from "../harness/applications.ts";
import { BRANDS, type Brokers, keyIn, startBrokers } from "../harness/brokers.ts";
import type { InProcessOptions } from "../harness/gateway-in-process.ts";
import { nothingFound } from "../harness/site.ts";
import {
  accountForStore,
  administer,
  OPERATOR_TOKEN,
  storeAccount,
  storing,
  storingEnvironment,
} from "./stored-accounts.ts";

const north = { tenant: "north" };
const south = { tenant: "south" };
const inFile = (id: string, tenant: string): object =>
  accountForStore(id, tenant, { env: "ACCOUNTS_TOKEN" });

/** Starts a gateway that has accounts in the configuration file and in the store. */
async function start(list: readonly object[] = [], parts: InProcessOptions = {}): Promise<Brokers> {
  const brokers = await startBrokers(undefined, nothingFound, {
    environment: storingEnvironment,
    more: storing(["one"], list),
    parts,
  });
  onTestFinished(() => brokers.stop());
  return brokers;
}

/**
 * Returns a function that opens the folder's store. The store's accounts cannot be read until `comesBack` is called.
 */
function makeStoreAway({ path }: GatewayFolder): {
  readonly openStore: () => Promise<SubmissionStore>;
  readonly comesBack: () => void;
} {
  let isAway = true;
  return {
    async openStore() {
      mkdirSync(join(path, "data"), { recursive: true });
      const file = join(path, "data", "submissions.sqlite");
      const opened = await openSqliteStore({ file, mode: "serve" });
      return {
        ...opened,
        async accountsSince(...asked) {
          if (isAway) throw new StoreUnavailableError("57P01", false);
          return opened.accountsSince(...asked);
        },
      };
    },
    comesBack() {
      isAway = false;
    },
  };
}

it("the gateway answers 503 to every tenant until the gateway has read the accounts in the store", async () => {
  const folder = makeGatewayFolder();
  const { comesBack, openStore } = makeStoreAway(folder);
  const brokers = await start([], { folder, openStore });
  expect((await brokers.ask(north)).status).toBe(503);
  comesBack();
  await brokers.time.tick();
  expect((await brokers.ask(north)).status).toBe(403);
});

describe("accounts in the configuration file", () => {
  it.each([
    ["id", "n-1", "south", 'id: "n-1" is, or was, the id of an account in the store'],
    [
      "tenant",
      "n-2",
      "north",
      'tenant: already has an account at this provider in the store, "n-1"',
    ],
  ])(
    "the gateway refuses to start if an account in the configuration file and an account in the store have the same %s",
    async (_, id, tenant, fault) => {
      const brokers = await start();
      await storeAccount(brokers, "n-1", "north");
      const restarted = brokers.restart(storing(["one"], [inFile(id, tenant)]));
      await expect(restarted).rejects.toThrow(`accounts.list[0].${fault}`);
      await brokers.restart(storing(["one"]));
    },
  );

  it("the gateway answers 503 to calls while an account in the configuration file and an account in the store have the same id", async () => {
    const before = await start();
    await storeAccount(before, "n-1", "north");
    await before.gateway.end();
    const { folder } = before;
    const { comesBack, openStore } = makeStoreAway(folder);
    const brokers = await start([inFile("n-1", "south")], { folder, openStore });
    comesBack();
    for (let trial = 0; trial < 2; trial += 1) {
      await brokers.time.tick();
      expect((await brokers.ask(north)).status).toBe(503);
      expect((await brokers.submit(south, applicationBody())).status).toBe(503);
    }
    expect(brokers.insurer.arrivals).toEqual([]);
  });

  it("the gateway uses accounts of the configuration file and of the store, but refuses requests to change an account of the file", async () => {
    const brokers = await start([inFile("n-1", "north")]);
    expect(await storeAccount(brokers, "s-1", "south")).toBe(201);
    await brokers.time.tick();
    for (const tenant of [north, south]) expect((await brokers.ask(tenant)).status).toBe(200);
    expect(brokers.insurer.arrivals.map(keyIn)).toEqual([OPERATOR_TOKEN, "secret-of-s-1"]);
    expect(await (await administer(brokers.gateway, "GET /accounts")).json()).toMatchObject({
      items: [
        { id: "n-1", keptIn: "file", changedAt: null },
        { id: "s-1", keptIn: "store" },
      ],
    });
    expect(await storeAccount(brokers, "n-1", "north")).toBe(409);
    expect(await storeAccount(brokers, "n-2", "north")).toBe(409);
    expect((await administer(brokers.gateway, "DELETE /accounts/n-1")).status).toBe(409);
  });

  it("the gateway uses accounts of the configuration file even if the store is unavailable at the start", async () => {
    const openStore = async (): Promise<never> => {
      throw new StoreUnavailableError("57P01", false);
    };
    const brokers = await start([inFile("n-1", "north")], { openStore });
    expect((await brokers.ask(north)).status).toBe(200);
    expect((await brokers.ask(north, BRANDS)).status).toBe(503);
    expect((await brokers.ask(south)).status).toBe(503);
  });
});
