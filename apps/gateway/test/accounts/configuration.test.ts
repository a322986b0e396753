import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { nothingFound } from "../configuration/effects.ts";
import { applicationBody } from "../harness/applications.ts";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { installPackage } from "../harness/provider-package.ts";
import { account, CLAIM, environmentOf, keyIn, ONE, startBrokers } from "./brokers.ts";
import { ADAPTER, ISSUER, insurerAt, PACKAGE, start, toM } from "./provider-m.ts";

describe("accounts", () => {
  const settings = { agency: "X", channel: "web" };

  it("accounts that contradict each other or the rest end the start with every fault", async () => {
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
        "accounts.list[2].tenant: has another account to this provider",
        "accounts.list[3].credentials.value: the environment variable KEY_absent is not set",
      ],
    });
  });

  it("accounts with invalid values are reported together with the faults of the others", async () => {
    const started = start(
      [
        toM("north", { id: "no id", colour: "red", settings: { ...settings, agency: "" } }),
        toM("south", { settings, credentials: { type: "apiKey", header: "host" } }),
        toM("absent", { settings: { agency: "X" } }),
        toM("south", { settings, segment: 1 }),
        // The list's type does not allow a value that is not an object.
        JSON.parse('"east"'),
        toM("west", { settings: "web", tenant: { issuer: ISSUER, name: "south" } }),
      ],
      { accounts: { quotas: { requestsPerDay: 0 }, colour: "red" } },
    );
    await expect(started).rejects.toMatchObject({
      faults: [
        expect.stringContaining("accounts.list[0].id: must be 1 to 64"),
        "accounts.list[0].colour: is not known",
        "accounts.list[1].credentials.header: must be a header that is free to set",
        expect.stringContaining("accounts.list[1].credentials.value: must be { "),
        expect.stringContaining("accounts.list[3].segment: "),
        expect.stringContaining("accounts.list[4]: "),
        expect.stringContaining("accounts.list[5].settings: "),
        expect.stringContaining("accounts.quotas.requestsPerDay: "),
        "accounts.colour: is not known",
        "accounts.list[0].settings.agency: must not be blank",
        "accounts.list[2].credentials.value: the environment variable KEY_absent is not set",
        "accounts.list[2].settings.channel: is required",
        "accounts.list[3].id: appears twice",
        "accounts.list[5].tenant: has another account to this provider",
        "accounts.list[5].credentials.value: the environment variable KEY_west is not set",
      ],
    });
  });

  it.each([
    ["claim", { claim: 1 }],
    ["list", { list: "north" }],
    ["timeZone", { timeZone: "Athens" }],
  ])(
    "accounts with a wrong %s are checked further, without faults for settings that accounts complete",
    async (key, wrong) => {
      const started = start([toM("north", { settings })], {
        settings: { channel: "web", colour: "red" },
        accounts: wrong,
      });
      await expect(started).rejects.toMatchObject({
        faults: [
          expect.stringContaining(`accounts.${key}: `),
          "providers[0].settings.colour: is not known here",
        ],
      });
    },
  );

  it("an invalid list of accounts hides no fault of the providers, and claims none", async () => {
    const folder = makeGatewayFolder();
    installPackage(folder, "provider-m", PACKAGE, ADAPTER);
    const settings = { channel: "web", colour: "red" };
    const provider = { package: "provider-m", upstream: { baseUrl: "http://127.0.0.1" }, settings };
    const configuration = { providers: [provider], accounts: [] };
    await expect(startInProcess(configuration, {}, { folder })).rejects.toMatchObject({
      faults: [
        expect.stringContaining("accounts: "),
        "providers[0].settings.colour: is not known here",
      ],
    });
  });

  it.each([
    [{ list: [toM("north")] }, "claim: is needed"],
    [{ claim: CLAIM, list: [toM("default")] }, "list[0].id: default is the provider's own account"],
    [{ claim: CLAIM, list: [{ ...toM("north"), secret: "x" }] }, "list[0].secret: is not known"],
  ])("accounts of the form %j are refused", async (accounts, fault) => {
    const insurer = await insurerAt();
    const providers = [
      { package: "@insurance-gateway/provider-a", upstream: { baseUrl: insurer.baseUrl } },
    ];
    const started = startInProcess({ providers, accounts }, environmentOf(["north", "default"]));
    await expect(started).rejects.toThrow(`accounts.${fault}`);
  });

  it.each([
    [
      "that has another fault",
      { package: "@insurance-gateway/provider-d", colour: "red" },
      "colour: ",
    ],
    ["that is not installed", { package: "@insurance-gateway/provider-x" }, "package: "],
  ])("are checked together with a provider %s", async (_, faulty, fault) => {
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
        // Whether it is the faulty provider's is not known; that its secret is missing is.
        expect.stringContaining("accounts.list[1].credentials.value: "),
        "accounts.list[2].id: appears twice",
        "accounts.list[2].tenant: has another account to this provider",
        expect.stringContaining("accounts.list[2].credentials.value: "),
        expect.stringContaining("accounts.list[2].settings"),
      ],
    });
  });

  it("accounts of an issuer that is not configured are refused", async () => {
    const list = [account("north", "north", { issuer: "https://stranger.example" })];
    await expect(
      startBrokers({ claim: CLAIM, list }, nothingFound, { ids: ["north"] }),
    ).rejects.toThrow("accounts.list[0].tenant.issuer: is none of the issuers");
  });

  it("accounts with open submissions are kept", async () => {
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

describe("an account in the file and one in the store", () => {
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
      "is no segment of a provider",
    ],
    ["credentials", () => ({}), 'must be set; { "type": "none" } where the insurer asks for none'],
    [
      "credentials",
      (secret) => ({ credentials: { type: "login", username: secret, password: secret } }),
      "provider-m has no adapter that logs in",
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
      "is not known here",
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
    ["colour", () => ({ credentials: none, colour: 1 }), "is not known"],
  ])("have the same fault in %s", async (place, more, fault) => {
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
  });
});
