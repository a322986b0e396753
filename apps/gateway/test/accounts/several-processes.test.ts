import { startPostgres } from "@insurance-gateway/running-postgres";
import { expect, it, onTestFinished } from "vitest";
import { nothingFound } from "../configuration/effects.ts";
import { type Brokers, CLAIM, KEY_HEADER, keyIn, ONE, startBrokers } from "./brokers.ts";

it("an account that one process adds, changes or removes is used so by another on the same PostgreSQL", async () => {
  const server = await startPostgres();
  onTestFinished(() => server.remove());
  const token = "operator".repeat(4);
  const environment = {
    ACCOUNTS_TOKEN: token,
    STORE_KEY: Buffer.alloc(32, 1).toString("base64"),
    DATABASE_URL: await server.createDatabase(),
  };
  const start = async (): Promise<Brokers> => {
    const brokers = await startBrokers(undefined, nothingFound, {
      environment,
      more: {
        accounts: { claim: CLAIM },
        operations: { accountsToken: { env: "ACCOUNTS_TOKEN" } },
        submissions: { keys: [{ id: "one", secret: { env: "STORE_KEY" } }] },
      },
    });
    onTestFinished(() => brokers.stop());
    return brokers;
  };
  const [one, other] = [await start(), await start()];
  const administer = async (method: string, path: string, body?: object): Promise<void> => {
    const answer = await fetch(one.gateway.operationsAddress + path, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(answer.ok).toBe(true);
  };
  const set = (value: string): Promise<void> =>
    administer("POST", "/accounts", {
      id: "n-1",
      segment: "provider-d",
      tenant: { issuer: ONE, name: "north" },
      credentials: { type: "apiKey", header: KEY_HEADER, value },
    });
  const asked = async (): Promise<readonly unknown[]> => {
    await other.time.tick();
    const { status } = await other.ask({ tenant: "north" });
    return [status, other.insurer.arrivals.map(keyIn).at(-1)];
  };
  expect(await asked()).toEqual([403, undefined]);
  await set("first");
  expect(await asked()).toEqual([200, "first"]);
  await set("second");
  expect(await asked()).toEqual([200, "second"]);
  await administer("DELETE", "/accounts/n-1");
  expect(await asked()).toEqual([403, "second"]);
});
