import { startPostgres } from "@insurance-gateway/running-postgres";
import { expect, it, onTestFinished } from "vitest";
import { nothingFound } from "../configuration/effects.ts";
import { type Brokers, CLAIM, KEY_HEADER, keyIn, ONE, startBrokers } from "./brokers.ts";

const token = "operator".repeat(4);
const configured = (...keys: readonly string[]): object => ({
  accounts: { claim: CLAIM },
  operations: { accountsToken: { env: "ACCOUNTS_TOKEN" } },
  submissions: { keys: keys.map((id) => ({ id, secret: { env: `STORE_KEY_${id}` } })) },
});

/** Starts two processes with the same database, whose content is encrypted with the key "one". */
async function startTwo(): Promise<readonly [Brokers, Brokers]> {
  const server = await startPostgres();
  onTestFinished(() => server.remove());
  const environment = {
    ACCOUNTS_TOKEN: token,
    STORE_KEY_one: Buffer.alloc(32, 1).toString("base64"),
    STORE_KEY_two: Buffer.alloc(32, 2).toString("base64"),
    DATABASE_URL: await server.createDatabase(),
  };
  const start = async (): Promise<Brokers> => {
    const more = configured("one");
    const brokers = await startBrokers(undefined, nothingFound, { environment, more });
    onTestFinished(() => brokers.stop());
    return brokers;
  };
  return [await start(), await start()];
}

async function administer(
  { gateway }: Brokers,
  method: string,
  path: string,
  body?: object,
): Promise<void> {
  const answer = await fetch(gateway.operationsAddress + path, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.ok).toBe(true);
}

function set(brokers: Brokers, id: string, tenant: string, value: string): Promise<void> {
  return administer(brokers, "POST", "/accounts", {
    id,
    segment: "provider-d",
    tenant: { issuer: ONE, name: tenant },
    credentials: { type: "apiKey", header: KEY_HEADER, value },
  });
}

/** Returns the status of a tenant's call, and the API key in the insurer's last request. */
async function asked(brokers: Brokers, tenant: string): Promise<readonly unknown[]> {
  const { status } = await brokers.ask({ tenant });
  return [status, brokers.insurer.arrivals.map(keyIn).at(-1)];
}

it("an account that one process adds, changes or removes takes effect in another process on the same PostgreSQL database", async () => {
  const [one, other] = await startTwo();
  const learned = async (): Promise<readonly unknown[]> => {
    await other.time.tick();
    return asked(other, "north");
  };
  expect(await learned()).toEqual([403, undefined]);
  await set(one, "n-1", "north", "first");
  expect(await learned()).toEqual([200, "first"]);
  await set(one, "n-1", "north", "second");
  expect(await learned()).toEqual([200, "second"]);
  await administer(one, "DELETE", "/accounts/n-1");
  expect(await learned()).toEqual([403, "second"]);
});

it("a process answers 503 for an account that cannot be decrypted, and still uses the other accounts", async () => {
  const [one, other] = await startTwo();
  await set(other, "n-1", "north", "first");
  await other.time.tick();
  expect(await asked(other, "north")).toEqual([200, "first"]);
  await one.restart(configured("two", "one"));
  await set(one, "n-1", "north", "second");
  await set(other, "s-1", "south", "south");
  for (const brokers of [one, other]) await brokers.time.tick();
  expect(await asked(other, "north")).toEqual([503, "first"]);
  expect(await asked(other, "south")).toEqual([200, "south"]);
  expect(await asked(one, "north")).toEqual([200, "second"]);
  await set(other, "n-1", "north", "third");
  await other.time.tick();
  expect(await asked(other, "north")).toEqual([200, "third"]);
});
