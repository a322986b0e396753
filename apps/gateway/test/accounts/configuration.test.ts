import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { applicationBody } from "../harness/applications.ts";
import { account, CLAIM, environmentOf, keyIn, ONE, startBrokers } from "../harness/brokers.ts";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { installPackage } from "../harness/provider-package.ts";
import { nothingFound } from "../harness/site.ts";
import { ADAPTER, ISSUER, insurerAt, PACKAGE, start, toM } from "./provider-m.ts";

describe("accounts", () => {
  const settings = { agency: "X", channel: "web" };

  it("the gateway does not start, and reports every fault, if configured accounts contradict each other or lack a secret", async () => {
    const started = start(
      [
        toM("north"),
        toM("north", { tenant: { issuer: ISSUER, name: "other" } }),
        toM("south", { tenant: { issuer: ISSUER, name: "north" } }),
        toM("absent"),
      ],
      { settings },
    );
    await expect(started).rejects.toMatchObject({
      faults: [
        "accounts.list[1].id: appears twice",
        "accounts.list[2].tenant: already has an account at this provider",
        "accounts.list[3].credentials.value: the environment variable KEY_absent is not set",
      ],
    });
  });

  it("the gateway reports invalid values of one account together with the faults of the other accounts", async () => {
    const started = start(
      [
        toM("north", { id: "no id", colour: "red", settings: { ...settings, agency: "" } }),
        toM("south", { settings, credentials: { type: "apiKey", header: "host" } }),
        toM("absent", { settings: { agency: "X" } }),
        toM("south", { settings, segment: 1 }),
        // The list's type allows only objects, but `JSON.parse` returns a value of any type.
        JSON.parse('"east"'),
        toM("west", { settings: "web", tenant: { issuer: ISSUER, name: "south" } }),
      ],
      { accounts: { quotas: { requestsPerDay: 0 }, colour: "red" } },
    );
    await expect(started).rejects.toMatchObject({
      faults: [
        expect.stringContaining("accounts.list[0].id: must be 1 to 64"),
        "accounts.list[0].colour: is not an accepted key",
        "accounts.list[1].credentials.header: must be a header that the gateway does not set itself",
        expect.stringContaining("accounts.list[1].credentials.value: must be { "),
        expect.stringContaining("accounts.list[3].segment: "),
        expect.stringContaining("accounts.list[4]: "),
        expect.stringContaining("accounts.list[5].settings: "),
        expect.stringContaining("accounts.quotas.requestsPerDay: "),
        "accounts.colour: is not an accepted key",
        "accounts.list[0].settings.agency: must not be blank",
        "accounts.list[2].credentials.value: the environment variable KEY_absent is not set",
        "accounts.list[2].settings.channel: is required",
        "accounts.list[3].id: appears twice",
        "accounts.list[5].tenant: already has an account at this provider",
        "accounts.list[5].credentials.value: the environment variable KEY_west is not set",
      ],
    });
  });

  it.each([
    ["claim", { claim: 1 }],
    ["list", { list: "north" }],
    ["timeZone", { timeZone: "Athens" }],
  ])(
    "the gateway also reports the faults of the providers' settings if this setting of `accounts` is invalid: %s",
    async (key, wrong) => {
      const started = start([toM("north", { settings })], {
        settings: { channel: "web", colour: "red" },
        accounts: wrong,
      });
      await expect(started).rejects.toMatchObject({
        faults: [
          expect.stringContaining(`accounts.${key}: `),
          "providers[0].settings.colour: is not a setting of this provider",
        ],
      });
    },
  );

  it("the gateway reports an unknown provider setting even if `accounts` is not an object", async () => {
    const folder = makeGatewayFolder();
    installPackage(folder, "provider-m", PACKAGE, ADAPTER);
    const settings = { channel: "web", colour: "red" };
    const provider = { package: "provider-m", upstream: { baseUrl: "http://127.0.0.1" }, settings };
    const configuration = { providers: [provider], accounts: [] };
    await expect(startInProcess(configuration, {}, { folder })).rejects.toMatchObject({
      faults: [
        expect.stringContaining("accounts: "),
        "providers[0].settings.colour: is not a setting of this provider",
      ],
    });
  });

  it.each([
    [{ list: [toM("north")] }, "claim: is required"],
    [
      { claim: CLAIM, list: [toM("default")] },
      "list[0].id: must not be default, which is the provider's own account",
    ],
    [
      { claim: CLAIM, list: [{ ...toM("north"), secret: "x" }] },
      "list[0].secret: is not an accepted key",
    ],
  ])(
    "the gateway refuses to start with invalid settings in `accounts`: %j",
    async (accounts, fault) => {
      const insurer = await insurerAt();
      const providers = [
        { package: "@insurance-gateway/provider-a", upstream: { baseUrl: insurer.baseUrl } },
      ];
      const started = startInProcess({ providers, accounts }, environmentOf(["north", "default"]));
      await expect(started).rejects.toThrow(`accounts.${fault}`);
    },
  );

  it.each([
    [
      "a fault in its configuration",
      { package: "@insurance-gateway/provider-d", colour: "red" },
      "colour: ",
    ],
    ["a package that is not installed", { package: "@insurance-gateway/provider-x" }, "package: "],
  ])(
    "the gateway checks the accounts of one provider even if another provider has %s",
    async (_, faulty, fault) => {
      const insurer = await insurerAt();
      const upstream = { baseUrl: insurer.baseUrl };
      const list = [
        account("north", "north", { segment: "provider-a" }),
        account("south", "south", { segment: "provider-d" }),
        account("south", "north", { segment: "provider-a", settings: { agency: "1" } }),
      ];
      const started = startInProcess(
        {
          providers: [
            { ...faulty, upstream },
            { package: "@insurance-gateway/provider-a", upstream },
          ],
          accounts: { claim: CLAIM, list },
          issuers: [{ issuer: ONE, jwksUri: ONE, audience: "gateway", algorithms: ["RS256"] }],
        },
        environmentOf(["north"]),
      );
      await expect(started).rejects.toMatchObject({
        faults: [
          expect.stringContaining(`providers[0].${fault}`),
          // `accounts.list[1]` may belong to the faulty provider, so the gateway reports only this account's missing
          // secret.
          expect.stringContaining("accounts.list[1].credentials.value: "),
          "accounts.list[2].id: appears twice",
          "accounts.list[2].tenant: already has an account at this provider",
          expect.stringContaining("accounts.list[2].credentials.value: "),
          expect.stringContaining("accounts.list[2].settings"),
        ],
      });
    },
  );

  it("the gateway refuses to start with an account whose issuer is not configured", async () => {
    const list = [account("north", "north", { issuer: "https://stranger.example" })];
    await expect(
      startBrokers({ claim: CLAIM, list }, nothingFound, { ids: ["north"] }),
    ).rejects.toThrow("accounts.list[0].tenant.issuer: must be one of the issuers");
  });

  it("the gateway refuses to start if the account of an open submission is not in the configuration", async () => {
    const list = [account("north", "north"), account("south", "south")];
    const brokers = await startBrokers({ claim: CLAIM, list }, (response) => response.destroy(), {
      ids: ["north", "south"],
    });
    onTestFinished(() => brokers.stop());
    await brokers.submit({ tenant: "north" }, applicationBody());
    const environment = environmentOf(["north", "south"]);
    const without = { accounts: { claim: CLAIM, list: list.slice(1) } };
    await expect(brokers.restart(without, environment)).rejects.toThrow(
      'accounts.list: must have the account "north" for provider-d',
    );
    await expect(brokers.restart({}, environment)).rejects.toThrow('must have the account "north"');
    brokers.insurer.behaviour = nothingFound;
    await brokers.restart({ accounts: { claim: CLAIM, list } }, environment);
    expect((await brokers.ask({ tenant: "north" })).status).toBe(200);
    expect(new Set(brokers.insurer.arrivals.map(keyIn))).toEqual(new Set(["north"]));
  });
});

describe("accounts in the configuration file or in the store", () => {
  const TOKEN = "operator".repeat(4);
  let gateway: GatewayInProcess;
  let insurer: Insurer;
  const providers = (): readonly object[] => [
    {
      package: "provider-m",
      upstream: { baseUrl: insurer.baseUrl },
      settings: { channel: "web" },
    },
  ];
  const startWith = async (list: readonly object[]): Promise<GatewayInProcess> => {
    const folder = makeGatewayFolder();
    installPackage(folder, "provider-m", PACKAGE, ADAPTER);
    return startInProcess(
      {
        providers: providers(),
        accounts: { claim: CLAIM, list },
        operations: { accountsToken: { env: "ACCOUNTS_TOKEN" } },
      },
      { ACCOUNTS_TOKEN: TOKEN, SECRET: "s" },
      { folder },
    );
  };
  beforeAll(async () => {
    insurer = await startInsurer(json(200, { items: [] }));
    gateway = await startWith([]);
  });
  afterAll(async () => {
    await gateway.stop();
    await insurer.close();
  });

  const none = { type: "none" };
  it.each<[string, (secret: unknown) => object, string]>([
    [
      "segment",
      () => ({ segment: "provider-x", credentials: none }),
      "must be the segment of a configured provider",
    ],
    ["credentials", () => ({}), 'must be set; use { "type": "none" } if the insurer requires none'],
    [
      "credentials",
      (secret) => ({ credentials: { type: "login", username: secret, password: secret } }),
      "provider-m must have an adapter with a login for credentials of the type login",
    ],
    ["settings.agency", () => ({ credentials: none, settings: {} }), "is required"],
    [
      "settings.agency",
      () => ({ credentials: none, settings: { agency: "a".repeat(21) } }),
      "must have at most 20 characters",
    ],
    [
      "settings.colour",
      () => ({ credentials: none, settings: { agency: "a", colour: 1 } }),
      "is not a setting of this provider",
    ],
    [
      "tenant.name",
      () => ({ credentials: none, tenant: { issuer: ISSUER, name: "n\u200b" } }),
      "must have no invisible characters",
    ],
    ["id", () => ({ credentials: none, id: "no id" }), "must be 1 to 64 letters"],
    [
      "quotas.requestsPerDay",
      () => ({ credentials: none, quotas: { requestsPerDay: 0 } }),
      "Too small",
    ],
    ["colour", () => ({ credentials: none, colour: 1 }), "is not an accepted key"],
  ])(
    "the gateway reports the same fault for an account in the configuration file and for an account in a request: %s",
    async (place, more, fault) => {
      const given = (secret: unknown): object => ({
        id: "north",
        tenant: { issuer: ISSUER, name: "north" },
        segment: "provider-m",
        settings: { agency: "a" },
        ...more(secret),
      });
      await expect(startWith([given({ env: "SECRET" })])).rejects.toMatchObject({
        faults: [expect.stringContaining(`accounts.list[0].${place}: ${fault}`)],
      });
      const answer = await fetch(`${gateway.operationsAddress}/accounts`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify(given("s")),
      });
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({ errors: [expect.stringContaining(`${place}: ${fault}`)] }),
      ]);
    },
  );
});
