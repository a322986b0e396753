import { mkdirSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { nothingFound, taking } from "../configuration/effects.ts";
import { applicationBody } from "../harness/applications.ts";
import { json } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import {
  BRANDS,
  type Brokers,
  CLAIM,
  KEY_HEADER,
  keyIn,
  ONE,
  providersOf,
  startBrokers,
} from "./brokers.ts";

const TOKEN = "operator-token-7c1d-6f02-4b5e-9a31";
const key = (id: string): object => ({
  id,
  secret: { env: id === "one" ? "STORE_KEY_ONE" : "STORE_KEY_TWO" },
});
const environment = {
  ACCOUNTS_TOKEN: TOKEN,
  STORE_KEY_ONE: Buffer.alloc(32, 1).toString("base64"),
  STORE_KEY_TWO: Buffer.alloc(32, 2).toString("base64"),
};
const configured = (...keys: readonly object[]): object => ({
  accounts: { claim: CLAIM },
  operations: { accountsToken: { env: "ACCOUNTS_TOKEN" } },
  submissions: { keys },
});

const north = { tenant: "north" };
const south = { tenant: "south" };

let brokers: Brokers;
beforeEach(async () => {
  brokers = await startBrokers(undefined, nothingFound, {
    environment,
    more: configured(key("one")),
  });
});
afterEach(() => brokers.stop());

/** Returns an account with an API key, in the form in which an operator adds an account. */
function given(id: string, tenant: string, secret = `secret-of-${id}`): object {
  const credentials = { type: "apiKey", header: KEY_HEADER, value: secret };
  return { id, segment: "provider-d", tenant: { issuer: ONE, name: tenant }, credentials };
}

async function administer(
  method: string,
  path = "/accounts",
  body?: unknown,
  token: string | null = TOKEN,
): Promise<Response> {
  return fetch(brokers.gateway.operationsAddress + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Makes the gateway read the changed accounts from the store. */
async function learned(): Promise<void> {
  await brokers.time.tick();
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
      const store = await openSqliteStore({ file, mode: "serve" });
      return {
        ...store,
        async accountsSince(...asked) {
          if (isAway) throw new StoreUnavailableError("57P01", false);
          return store.accountsSince(...asked);
        },
      };
    },
    comesBack() {
      isAway = false;
    },
  };
}

it("the gateway answers 503 to every tenant until the accounts in the store are read", async () => {
  const folder = makeGatewayFolder();
  const { comesBack, openStore } = makeStoreAway(folder);
  const starting = await startBrokers(undefined, nothingFound, {
    environment,
    more: configured(key("one")),
    parts: { folder, openStore },
  });
  expect((await starting.ask(north)).status).toBe(503);
  comesBack();
  await starting.time.tick();
  expect((await starting.ask(north)).status).toBe(403);
  await starting.stop();
});

it("the gateway logs and stores each change of an account with its author and without a secret", async () => {
  await administer("POST", "/accounts", given("n-1", "north"));
  await administer("POST", "/accounts", given("n-1", "north", "other"));
  await administer("DELETE", "/accounts/n-1");
  await administer("DELETE", "/accounts/n-1");
  const lines = brokers.gateway.log
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === "an account was changed")
    .map(({ action, by, account }) => [action, by, account]);
  const done = ["added", "changed", "removed"];
  expect(lines).toEqual(done.map((action) => [action, "127.0.0.1", "n-1"]));
  expect(await (await administer("GET")).json()).toMatchObject({
    items: [],
    changes: done.toReversed().map((action) => ({ action, by: "127.0.0.1", account: "n-1" })),
  });
});

describe("accounts in the configuration file", () => {
  const inFile = (id: string, tenant: string): object => ({
    ...given(id, tenant),
    credentials: { type: "apiKey", header: KEY_HEADER, value: { env: "ACCOUNTS_TOKEN" } },
  });
  const withList = (...list: readonly object[]): object => ({
    ...configured(key("one")),
    accounts: { claim: CLAIM, list },
  });

  it.each([
    ["id", "n-1", "south", 'id: "n-1" is, or was, the id of an account in the store'],
    [
      "tenant",
      "n-2",
      "north",
      'tenant: already has an account at this provider in the store, "n-1"',
    ],
  ])(
    "the gateway refuses to start if an account in the file has the %s of an account in the store",
    async (_, id, tenant, fault) => {
      await administer("POST", "/accounts", given("n-1", "north"));
      const started = brokers.restart(withList(inFile(id, tenant)));
      await expect(started).rejects.toThrow(`accounts.list[0].${fault}`);
      await brokers.restart(configured(key("one")));
    },
  );

  it("the gateway answers 503 to calls while an account in the file and an account in the store have the same id", async () => {
    await administer("POST", "/accounts", given("n-1", "north"));
    await brokers.gateway.end();
    const { folder } = brokers;
    const { comesBack, openStore } = makeStoreAway(folder);
    const list = [inFile("n-1", "south")];
    const starting = await startBrokers({ claim: CLAIM, list }, nothingFound, {
      environment,
      more: configured(key("one")),
      parts: { folder, openStore },
    });
    comesBack();
    for (let trial = 0; trial < 2; trial += 1) {
      await starting.time.tick();
      expect((await starting.ask(north)).status).toBe(503);
      expect((await starting.submit(south, applicationBody())).status).toBe(503);
    }
    expect(starting.insurer.arrivals).toEqual([]);
    await starting.stop();
  });

  it("the gateway uses accounts of the file and of the store, but refuses requests to change an account of the file", async () => {
    await brokers.restart(withList(inFile("n-1", "north")));
    expect((await administer("POST", "/accounts", given("s-1", "south"))).status).toBe(201);
    await learned();
    for (const tenant of [north, south]) expect((await brokers.ask(tenant)).status).toBe(200);
    expect(brokers.insurer.arrivals.map(keyIn)).toEqual([TOKEN, "secret-of-s-1"]);
    expect(await (await administer("GET")).json()).toMatchObject({
      items: [
        { id: "n-1", keptIn: "file", changedAt: null },
        { id: "s-1", keptIn: "store" },
      ],
    });
    for (const [method, path, body] of [
      ["POST", "/accounts", given("n-1", "north")],
      ["POST", "/accounts", given("n-2", "north")],
      ["DELETE", "/accounts/n-1", undefined],
    ] as const)
      expect((await administer(method, path, body)).status).toBe(409);
  });

  it("the gateway uses accounts of the configuration file even if the store is unavailable at the start", async () => {
    await brokers.stop();
    const openStore = async (): Promise<never> => {
      throw new StoreUnavailableError("57P01", false);
    };
    brokers = await startBrokers({ claim: CLAIM, list: [inFile("n-1", "north")] }, nothingFound, {
      environment,
      parts: { openStore },
    });
    expect((await brokers.ask(north)).status).toBe(200);
    expect((await brokers.ask(north, BRANDS)).status).toBe(503);
    expect((await brokers.ask(south)).status).toBe(503);
  });
});

describe("accounts in the store", () => {
  it("the gateway encrypts an account in the store, and uses the account only for the account's tenant", async () => {
    expect((await brokers.ask(north)).status).toBe(403);
    expect((await administer("POST", "/accounts", given("n-1", "north"))).status).toBe(201);
    expect((await administer("POST", "/accounts", given("s-1", "south"))).status).toBe(201);
    await learned();
    expect((await brokers.ask(north)).status).toBe(200);
    expect((await brokers.ask(south)).status).toBe(200);
    expect((await brokers.ask({ tenant: "east" })).status).toBe(403);
    expect(brokers.insurer.arrivals.map(keyIn)).toEqual(["secret-of-n-1", "secret-of-s-1"]);
    const listed = await (await administer("GET")).text();
    expect(JSON.parse(listed)).toMatchObject({ items: [{ id: "n-1" }, { id: "s-1" }] });
    const file = join(brokers.folder.path, "data", "submissions.sqlite");
    const stored = readFileSync(file, "latin1") + readFileSync(`${file}-wal`, "latin1");
    for (const text of [listed, stored, brokers.gateway.log.join("\n")])
      expect(text).not.toContain("secret-of");
    await brokers.restart(configured(key("one")));
    expect((await brokers.ask(north)).status).toBe(200);
    expect(brokers.insurer.arrivals.map(keyIn).at(-1)).toBe("secret-of-n-1");
  });

  it("a verification of an account reports whether the insurer refuses the account's credentials or answers incorrectly", async () => {
    const verify = async (id: string): Promise<unknown> =>
      (await administer("POST", `/accounts/${id}/verification`)).json();
    await administer("POST", "/accounts", given("n-1", "north"));
    expect(await verify("n-1")).toEqual({
      id: "n-1",
      segment: "provider-d",
      tenant: { issuer: ONE, name: "north" },
      state: "usable",
      endpoint: "searchApplications",
      latencyMs: expect.any(Number),
      code: null,
      detail: null,
    });
    expect(brokers.insurer.arrivals.map(keyIn)).toEqual(["secret-of-n-1"]);
    for (const [status, body, code] of [
      [401, {}, "PROVIDER_AUTH_FAILED"],
      [200, { items: 1 }, "PROVIDER_BAD_RESPONSE"],
    ] as const) {
      brokers.insurer.behaviour = json(status, body);
      expect(await verify("n-1")).toMatchObject({ state: "unusable", code });
    }
    const unknown = await administer("POST", "/accounts/n-2/verification");
    expect(unknown.status).toBe(404);
  });

  it("a verification of an account reports `busy` and sends nothing if the gateway has no free slot for the insurer", async () => {
    const bulkhead = { running: 1, queued: 0 };
    const providers = providersOf(brokers.insurer, { bulkhead });
    await brokers.restart({ ...configured(key("one")), providers });
    await administer("POST", "/accounts", given("n-1", "north"));
    await learned();
    const answers: ServerResponse[] = [];
    brokers.insurer.behaviour = (response) => void answers.push(response);
    const arrived = brokers.insurer.nextArrival();
    const asked = brokers.ask(north);
    await arrived;
    const verified = await administer("POST", "/accounts/n-1/verification");
    expect(await verified.json()).toMatchObject({
      state: "busy",
      code: "PROVIDER_UNAVAILABLE",
      detail: "Too many calls to this insurer are running; nothing was sent.",
    });
    brokers.insurer.behaviour = nothingFound;
    for (const response of answers) response.destroy();
    await asked;
  });

  it("calls use an account's new credentials after the operator replaces the old credentials", async () => {
    await administer("POST", "/accounts", given("n-1", "north"));
    await learned();
    await brokers.ask(north);
    const changed = await administer("POST", "/accounts", given("n-1", "north", "secret-2"));
    expect(changed.status).toBe(200);
    await learned();
    await brokers.ask(north);
    expect([...new Set(brokers.insurer.arrivals.map(keyIn))]).toEqual([
      "secret-of-n-1",
      "secret-2",
    ]);
  });

  it("each account has separate quotas and a separate date on which the credentials expire", async () => {
    const { credentials } = Object(given("n-1", "north"));
    await administer("POST", "/accounts", {
      ...given("n-1", "north"),
      credentials: { ...credentials, expires: "2031-01-31" },
      quotas: { requestsPerDay: 2 },
    });
    await administer("POST", "/accounts", given("s-1", "south"));
    await learned();
    expect(await (await administer("GET")).json()).toMatchObject({
      items: [
        { id: "n-1", quotas: { requestsPerDay: 2 }, expiresAt: "2031-01-31T00:00:00.000Z" },
        { id: "s-1", quotas: {}, expiresAt: null },
      ],
    });
    expect(await (await brokers.operator("/metrics")).text()).toContain(
      `insurance_gateway_expires_at{provider="provider-d",what="credentials"} ${Date.parse("2031-01-31") / 1_000}`,
    );
    const statuses = async (tenant: object): Promise<readonly number[]> => {
      const answers = [];
      for (let call = 0; call < 3; call += 1) answers.push((await brokers.ask(tenant)).status);
      return answers;
    };
    expect([await statuses(north), await statuses(south)]).toEqual([
      [200, 200, 429],
      [200, 200, 200],
    ]);
    await administer("POST", "/accounts", given("n-1", "north"));
    await learned();
    expect(await statuses(north)).toEqual([200, 200, 200]);
    expect(await (await brokers.operator("/metrics")).text()).not.toContain("expires_at{");
  });

  it("an account with an open submission cannot be removed, and a removed account's id cannot be reused", async () => {
    await administer("POST", "/accounts", given("n-1", "north"));
    await learned();
    brokers.insurer.behaviour = (response) => response.destroy();
    await brokers.submit(north, applicationBody());
    expect((await administer("DELETE", "/accounts/n-1")).status).toBe(409);
    brokers.insurer.behaviour = nothingFound;
    for (const milliseconds of [60_000, 120_000, 600_000]) {
      brokers.time.forward(milliseconds);
      await brokers.time.tick();
    }
    expect((await administer("DELETE", "/accounts/n-1")).status).toBe(204);
    expect(new Set(brokers.insurer.arrivals.map(keyIn))).toEqual(new Set(["secret-of-n-1"]));
    await learned();
    expect((await brokers.ask(north)).status).toBe(403);
    expect((await administer("POST", "/accounts", given("n-1", "south"))).status).toBe(409);
    expect((await administer("POST", "/accounts", given("n-2", "north"))).status).toBe(201);
  });

  it("the gateway encrypts all stored accounts with a new key after the key was added to `submissions.keys`", async () => {
    await administer("POST", "/accounts", given("n-1", "north"));
    await expect(brokers.restart(configured(key("two")))).rejects.toThrow(
      /submissions\.keys: the key "one" must stay, after the new key/,
    );
    await brokers.restart(configured(key("two"), key("one")));
    await brokers.restart(configured(key("two")));
    expect((await brokers.ask(north)).status).toBe(200);
    expect(brokers.insurer.arrivals.map(keyIn)).toEqual(["secret-of-n-1"]);
  });

  it("the gateway logs a stored account that cannot be decrypted, and answers 503 only to the account's tenant", async () => {
    await administer("POST", "/accounts", given("n-1", "north"));
    await administer("POST", "/accounts", given("s-1", "south"));
    await brokers.gateway.end();
    const file = new DatabaseSync(join(brokers.folder.path, "data", "submissions.sqlite"));
    file.exec("UPDATE gateway_accounts SET encrypted = zeroblob(60) WHERE id = 'n-1'");
    file.close();
    await brokers.restart(configured(key("one")));
    expect((await brokers.ask(north)).status).toBe(503);
    expect((await brokers.ask(south)).status).toBe(200);
    expect(brokers.gateway.log.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ msg: expect.stringContaining("decrypted"), account: "n-1" }),
    );
  });

  it("the gateway refuses a submission of a removed account even in a process that has not yet read the removal", async () => {
    brokers.insurer.behaviour = taking();
    await administer("POST", "/accounts", given("n-1", "north"));
    await learned();
    await brokers.ask(north);
    await administer("DELETE", "/accounts/n-1");
    await brokers.ask(north);
    expect(brokers.insurer.arrivals.map(keyIn)).toEqual(["secret-of-n-1", "secret-of-n-1"]);
    const refused = await brokers.submit(north, applicationBody());
    expect(await problemIn(refused)).toMatchObject({ outcome: "not_sent" });
    expect(brokers.insurer.arrivals.filter(({ method }) => method === "POST")).toEqual([]);
  });
});

describe("the requests that change accounts", () => {
  it("the gateway refuses an account with invalid input, or with the id or the tenant of another account", async () => {
    for (const wrong of [
      { ...given("n-1", "north"), segment: "provider-x" },
      { ...given("default", "north"), more: "s3cret" },
      given("n-1", "north", "line\nbreak-s3cret"),
    ]) {
      const answer = await administer("POST", "/accounts", wrong);
      expect(answer.status).toBe(400);
      expect(await answer.text()).not.toContain("s3cret");
    }
    expect((await administer("DELETE", "/accounts/none")).status).toBe(404);
    await administer("POST", "/accounts", given("n-1", "north"));
    for (const [id, tenant] of [
      ["n-1", "south"],
      ["n-2", "north"],
    ] as const)
      expect((await administer("POST", "/accounts", given(id, tenant))).status).toBe(409);
  });

  it("the gateway refuses to list or add accounts without the operator's token", async () => {
    for (const token of [null, "other"]) {
      expect((await administer("GET", "/accounts", undefined, token)).status).toBe(401);
      const added = await administer("POST", "/accounts", given("n-1", "north"), token);
      expect(added.status).toBe(401);
    }
    expect(await (await administer("GET")).json()).toEqual({ items: [], changes: [] });
  });

  it("the gateway answers 404 for `/accounts` if the configuration has no token for accounts", async () => {
    await brokers.restart({ operations: {} });
    expect((await administer("GET")).status).toBe(404);
  });
});
