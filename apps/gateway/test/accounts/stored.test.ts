import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applicationBody } from "../harness/applications.ts";
import { type Brokers, keyIn, ONE, providersOf, startBrokers } from "../harness/brokers.ts";
import { json } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { nothingFound, taking } from "../harness/site.ts";
import {
  accountForStore,
  administer,
  storeAccount,
  storing,
  storingEnvironment,
} from "./stored-accounts.ts";

const north = { tenant: "north" };
const south = { tenant: "south" };

let brokers: Brokers;
beforeEach(async () => {
  brokers = await startBrokers(undefined, nothingFound, {
    environment: storingEnvironment,
    more: storing(["one"]),
  });
});
afterEach(() => brokers.stop());

const operator = (
  request: string,
  body?: object,
  token?: string | null,
): ReturnType<typeof administer> => administer(brokers.gateway, request, body, token);

/** Adds or changes an account, and makes the gateway read the change from the store. */
async function storeAndRead(...account: Parameters<typeof accountForStore>): Promise<void> {
  await storeAccount(brokers, ...account);
  await brokers.time.tick();
}

it("the gateway logs and stores each change of an account with its author and without a secret", async () => {
  await storeAccount(brokers, "n-1", "north");
  await storeAccount(brokers, "n-1", "north", "other");
  await operator("DELETE /accounts/n-1");
  await operator("DELETE /accounts/n-1");
  const lines = brokers.gateway.log
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === "an account was changed")
    .map(({ action, by, account }) => [action, by, account]);
  const done = ["added", "changed", "removed"];
  expect(lines).toEqual(done.map((action) => [action, "127.0.0.1", "n-1"]));
  expect(await (await operator("GET /accounts")).json()).toMatchObject({
    items: [],
    changes: done.toReversed().map((action) => ({ action, by: "127.0.0.1", account: "n-1" })),
  });
});

describe("accounts in the store", () => {
  it("the gateway encrypts an account in the store, and uses the account only for the account's tenant", async () => {
    expect((await brokers.ask(north)).status).toBe(403);
    expect(await storeAccount(brokers, "n-1", "north")).toBe(201);
    expect(await storeAccount(brokers, "s-1", "south")).toBe(201);
    await brokers.time.tick();
    expect((await brokers.ask(north)).status).toBe(200);
    expect((await brokers.ask(south)).status).toBe(200);
    expect((await brokers.ask({ tenant: "east" })).status).toBe(403);
    expect(brokers.insurer.arrivals.map(keyIn)).toEqual(["secret-of-n-1", "secret-of-s-1"]);
    const listed = await (await operator("GET /accounts")).text();
    expect(JSON.parse(listed)).toMatchObject({ items: [{ id: "n-1" }, { id: "s-1" }] });
    const file = join(brokers.folder.path, "data", "submissions.sqlite");
    const stored = readFileSync(file, "latin1") + readFileSync(`${file}-wal`, "latin1");
    for (const text of [listed, stored, brokers.gateway.log.join("\n")])
      expect(text).not.toContain("secret-of");
    await brokers.restart(storing(["one"]));
    expect((await brokers.ask(north)).status).toBe(200);
    expect(brokers.insurer.arrivals.map(keyIn).at(-1)).toBe("secret-of-n-1");
  });

  it("a verification of an account reports whether the insurer refuses the account's credentials or answers incorrectly", async () => {
    const verify = async (id: string): Promise<unknown> =>
      (await operator(`POST /accounts/${id}/verification`)).json();
    await storeAccount(brokers, "n-1", "north");
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
    const unknown = await operator("POST /accounts/n-2/verification");
    expect(unknown.status).toBe(404);
  });

  it("a verification of an account reports `busy` and sends nothing if the gateway has no free slot for the insurer", async () => {
    const bulkhead = { running: 1, queued: 0 };
    const providers = providersOf(brokers.insurer, { bulkhead });
    await brokers.restart({ ...storing(["one"]), providers });
    await storeAndRead("n-1", "north");
    const answers: ServerResponse[] = [];
    brokers.insurer.behaviour = (response) => void answers.push(response);
    const arrived = brokers.insurer.nextArrival();
    const asked = brokers.ask(north);
    await arrived;
    const verified = await operator("POST /accounts/n-1/verification");
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
    await storeAndRead("n-1", "north");
    await brokers.ask(north);
    const changed = await storeAccount(brokers, "n-1", "north", "secret-2");
    expect(changed).toBe(200);
    await brokers.time.tick();
    await brokers.ask(north);
    expect([...new Set(brokers.insurer.arrivals.map(keyIn))]).toEqual([
      "secret-of-n-1",
      "secret-2",
    ]);
  });

  it("each account has separate quotas and a separate date on which the credentials expire", async () => {
    const { credentials } = Object(accountForStore("n-1", "north"));
    await operator("POST /accounts", {
      ...accountForStore("n-1", "north"),
      credentials: { ...credentials, expires: "2031-01-31" },
      quotas: { requestsPerDay: 2 },
    });
    await storeAndRead("s-1", "south");
    expect(await (await operator("GET /accounts")).json()).toMatchObject({
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
    await storeAndRead("n-1", "north");
    expect(await statuses(north)).toEqual([200, 200, 200]);
    expect(await (await brokers.operator("/metrics")).text()).not.toContain("expires_at{");
  });

  it("an account with an open submission cannot be removed, and a removed account's id cannot be reused", async () => {
    await storeAndRead("n-1", "north");
    brokers.insurer.behaviour = (response) => response.destroy();
    await brokers.submit(north, applicationBody());
    expect((await operator("DELETE /accounts/n-1")).status).toBe(409);
    brokers.insurer.behaviour = nothingFound;
    for (const milliseconds of [60_000, 120_000, 600_000]) {
      brokers.time.forward(milliseconds);
      await brokers.time.tick();
    }
    expect((await operator("DELETE /accounts/n-1")).status).toBe(204);
    expect(new Set(brokers.insurer.arrivals.map(keyIn))).toEqual(new Set(["secret-of-n-1"]));
    await brokers.time.tick();
    expect((await brokers.ask(north)).status).toBe(403);
    expect(await storeAccount(brokers, "n-1", "south")).toBe(409);
    expect(await storeAccount(brokers, "n-2", "north")).toBe(201);
  });

  it("the gateway encrypts all stored accounts with a new encryption key after the key was added to `submissions.keys`", async () => {
    await storeAccount(brokers, "n-1", "north");
    await expect(brokers.restart(storing(["two"]))).rejects.toThrow(
      /submissions\.keys: the key "one" must stay, after the new key/,
    );
    await brokers.restart(storing(["two", "one"]));
    await brokers.restart(storing(["two"]));
    expect((await brokers.ask(north)).status).toBe(200);
    expect(brokers.insurer.arrivals.map(keyIn)).toEqual(["secret-of-n-1"]);
  });

  it("the gateway logs a stored account that cannot be decrypted, and answers 503 only to the account's tenant", async () => {
    await storeAccount(brokers, "n-1", "north");
    await storeAccount(brokers, "s-1", "south");
    await brokers.gateway.end();
    const file = new DatabaseSync(join(brokers.folder.path, "data", "submissions.sqlite"));
    file.exec("UPDATE gateway_accounts SET encrypted = zeroblob(60) WHERE id = 'n-1'");
    file.close();
    await brokers.restart(storing(["one"]));
    expect((await brokers.ask(north)).status).toBe(503);
    expect((await brokers.ask(south)).status).toBe(200);
    expect(brokers.gateway.log.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ msg: expect.stringContaining("decrypted"), account: "n-1" }),
    );
  });

  it("the gateway refuses a submission of a removed account even in a process that has not yet read the removal", async () => {
    brokers.insurer.behaviour = taking();
    await storeAndRead("n-1", "north");
    await brokers.ask(north);
    await operator("DELETE /accounts/n-1");
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
      { ...accountForStore("n-1", "north"), segment: "provider-x" },
      { ...accountForStore("default", "north"), more: "s3cret" },
      accountForStore("n-1", "north", "line\nbreak-s3cret"),
    ]) {
      const answer = await operator("POST /accounts", wrong);
      expect(answer.status).toBe(400);
      expect(await answer.text()).not.toContain("s3cret");
    }
    expect((await operator("DELETE /accounts/none")).status).toBe(404);
    await storeAccount(brokers, "n-1", "north");
    expect(await storeAccount(brokers, "n-1", "south")).toBe(409);
    expect(await storeAccount(brokers, "n-2", "north")).toBe(409);
  });

  it("the gateway refuses to list or add accounts without the operator's token", async () => {
    for (const token of [null, "other"]) {
      expect((await operator("GET /accounts", undefined, token)).status).toBe(401);
      const added = await operator("POST /accounts", accountForStore("n-1", "north"), token);
      expect(added.status).toBe(401);
    }
    expect(await (await operator("GET /accounts")).json()).toEqual({ items: [], changes: [] });
  });

  it("the gateway answers 404 for `/accounts` if the configuration has no token for accounts", async () => {
    await brokers.restart({ operations: {} });
    expect((await operator("GET /accounts")).status).toBe(404);
  });
});
