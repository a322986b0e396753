import { startPostgres } from "@insurance-gateway/running-postgres";
import { expect, it, onTestFinished } from "vitest";
import { type Brokers, keyIn, startBrokers } from "../harness/brokers.ts";
import { nothingFound } from "../harness/site.ts";
import { administer, storeAccount, storing, storingEnvironment } from "./stored-accounts.ts";

/** Starts two processes with the same database, whose content is encrypted with the key "one". */
async function startTwo(): Promise<readonly [Brokers, Brokers]> {
  const server = await startPostgres();
  onTestFinished(() => server.remove());
  const environment = { ...storingEnvironment, DATABASE_URL: await server.createDatabase() };
  const start = async (): Promise<Brokers> => {
    const more = storing(["one"]);
    const brokers = await startBrokers(undefined, nothingFound, { environment, more });
    onTestFinished(() => brokers.stop());
    return brokers;
  };
  return [await start(), await start()];
}

/** Returns the status of a tenant's call, and the API key in the last request that the insurer received. */
async function asked(brokers: Brokers, tenant: string): Promise<readonly unknown[]> {
  const { status } = await brokers.ask({ tenant });
  return [status, brokers.insurer.arrivals.map(keyIn).at(-1)];
}

it("the addition, change or removal of an account in one process takes effect in another process on the same PostgreSQL database", async () => {
  const [one, other] = await startTwo();
  const learned = async (): Promise<readonly unknown[]> => {
    await other.time.tick();
    return asked(other, "north");
  };
  expect(await learned()).toEqual([403, undefined]);
  await storeAccount(one, "n-1", "north", "first");
  expect(await learned()).toEqual([200, "first"]);
  await storeAccount(one, "n-1", "north", "second");
  expect(await learned()).toEqual([200, "second"]);
  await administer(one.gateway, "DELETE /accounts/n-1");
  expect(await learned()).toEqual([403, "second"]);
});

it("a process answers 503 for an account that cannot be decrypted, and still uses the other accounts", async () => {
  const [one, other] = await startTwo();
  await storeAccount(other, "n-1", "north", "first");
  await other.time.tick();
  expect(await asked(other, "north")).toEqual([200, "first"]);
  await one.restart(storing(["two", "one"]));
  await storeAccount(one, "n-1", "north", "second");
  await storeAccount(other, "s-1", "south", "south");
  for (const brokers of [one, other]) await brokers.time.tick();
  expect(await asked(other, "north")).toEqual([503, "first"]);
  expect(await asked(other, "south")).toEqual([200, "south"]);
  expect(await asked(one, "north")).toEqual([200, "second"]);
  await storeAccount(other, "n-1", "north", "third");
  await other.time.tick();
  expect(await asked(other, "north")).toEqual([200, "third"]);
});
