import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { describe, expect, it, onTestFinished } from "vitest";
import { nothingFound } from "../configuration/effects.ts";
import { applicationBody } from "../harness/applications.ts";
import { startInProcess } from "../harness/gateway-in-process.ts";
import { holdTime } from "../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { installPackage } from "../harness/provider-package.ts";
import { reloadNow } from "../reload/settled.ts";
import { CLAIM, connection, environmentOf, keyIn, ONE, startBrokers } from "./brokers.ts";

/** A provider that asks for an agency, which connections have, and a channel, which they share. */
const PACKAGE = `
import { defineProvider, lookup } from "@insurance-gateway/core/contract";
import { loose, strict, text } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
const provider = "provider-m";
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  settings: strict({ agency: text(20), channel: text(20) }),
  endpoints: {
    listModels: lookup({ provider, path: "/models", response: { 200: loose({ items: z.array(z.string()) }) } }),
    listProducts: lookup({ provider, path: "/products", perConnection: true, response: { 200: loose({ items: z.array(z.string()) }) } }),
  },
});`;

const ADAPTER = `
import { declared } from "@insurance-gateway/adapter";
export const adapter = {
  ...declared,
  name: "m",
  call: (endpoint, input, send, { settings, ...context }) => {
    const inAgency = (request) => send({ ...request, path: "/" + settings.agency + "/" + settings.channel + request.path });
    return declared.call(endpoint, input, inAgency, { ...context, settings });
  },
};`;

async function insurerAt(): Promise<Insurer> {
  const insurer = await startInsurer(json(200, { items: [] }));
  onTestFinished(() => insurer.close());
  return insurer;
}

/** Starts a gateway with connections to provider M, and gives what reaches its insurer. */
async function start(
  list: readonly object[],
  {
    connections = {},
    settings,
    sandbox = false,
  }: {
    readonly connections?: object;
    readonly settings?: object;
    readonly sandbox?: boolean;
  } = {},
): Promise<{
  readonly ask: (tenant: string, path?: string) => Promise<number>;
  readonly insurer: Insurer;
}> {
  const insurer = await insurerAt();
  const folder = makeGatewayFolder();
  installPackage(folder, "provider-m", PACKAGE, ADAPTER);
  const upstream = sandbox ? "sandbox" : { baseUrl: insurer.baseUrl };
  const provider = { package: "provider-m", upstream, settings };
  const gateway = await startInProcess(
    { providers: [provider], connections: { claim: CLAIM, list, ...connections } },
    { ...environmentOf(["north", "south"]), AGENCY: "N-1" },
    { folder },
  );
  onTestFinished(() => gateway.stop());
  return {
    insurer,
    async ask(tenant, path = "models") {
      const token = await gateway.tokenFor("tester", { [CLAIM]: tenant });
      const response = await fetch(`${gateway.address}/provider-m/${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return response.status;
    },
  };
}

const ISSUER = "urn:insurance-gateway:development-issuer";
const toM = (id: string, more: object = {}): object =>
  connection(id, id, { issuer: ISSUER, segment: "provider-m", ...more });

describe("the settings of a connection", () => {
  it("are the provider's with its own over them, a secret from where it is", async () => {
    const { ask, insurer } = await start(
      [
        toM("north", { settings: { agency: { env: "AGENCY" } } }),
        toM("south", { settings: { agency: "S-1", channel: "phone" } }),
      ],
      { settings: { channel: "web" } },
    );
    expect([await ask("north"), await ask("south"), await ask("north")]).toEqual([200, 200, 200]);
    expect(insurer.arrivals.map(({ url }) => url)).toEqual([
      "/api/N-1/web/models",
      "/api/S-1/phone/models",
      "/api/N-1/web/models",
    ]);
  });

  it("are checked at the start, with every fault", async () => {
    const started = start([
      toM("north", { settings: { agency: "a".repeat(21), colour: "red" } }),
      toM("south", { settings: { agency: { env: "NOT_SET" }, channel: "web" } }),
    ]);
    await expect(started).rejects.toMatchObject({
      faults: [
        "connections.list[0].settings.colour: is not known here",
        "connections.list[0].settings.agency: must have at most 20 characters",
        "connections.list[0].settings.channel: is required",
        "connections.list[1].settings.agency: the environment variable NOT_SET is not set",
        "connections.list[1].settings.agency: must not be blank",
      ],
    });
  });
});

it("a connection to a simulated insurer that names no credentials has those of the simulation", async () => {
  const { credentials: _, ...bare } = Object(connection("north", "north", { issuer: ISSUER }));
  const gateway = await startInProcess({
    providers: [{ package: "@insurance-gateway/provider-d", upstream: "sandbox" }],
    connections: { claim: CLAIM, list: [bare] },
    reference: { served: false },
  });
  onTestFinished(() => gateway.stop());
  const token = await gateway.tokenFor("tester", { [CLAIM]: "north" });
  const search = `${gateway.address}/provider-d/applications/search?clientAfm=123456789`;
  const answer = await fetch(search, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
});

it("connections of the store have the settings that their provider is reloaded with", async () => {
  const insurer = await insurerAt();
  const folder = makeGatewayFolder();
  installPackage(folder, "provider-m", PACKAGE, ADAPTER);
  const settings = { agency: "X", channel: "web" };
  const upstream = { baseUrl: insurer.baseUrl };
  const time = holdTime();
  const gateway = await startInProcess(
    {
      providers: [{ package: "provider-m", upstream, settings }],
      connections: { claim: CLAIM, keptIn: "store" },
      operations: { connectionsToken: { env: "CONNECTIONS_TOKEN" } },
      submissions: { keys: [{ id: "one", secret: { env: "STORE_KEY" } }] },
    },
    { CONNECTIONS_TOKEN: "operator", STORE_KEY: Buffer.alloc(32, 1).toString("base64") },
    { folder, time },
  );
  onTestFinished(() => gateway.stop());
  const added = await fetch(`${gateway.operationsAddress}/connections`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer operator" },
    body: JSON.stringify({
      ...toM("north"),
      credentials: { type: "none" },
      settings: { agency: "N-1" },
    }),
  });
  expect(added.status).toBe(201);
  await time.tick();
  const ask = async (): Promise<number> => {
    const token = await gateway.tokenFor("tester", { [CLAIM]: "north" });
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${gateway.address}/provider-m/models`, { headers })).status;
  };
  expect(await ask()).toBe(200);
  const file = join(folder.path, "gateway.config.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"web"', '"phone"'));
  expect(await reloadNow(gateway, time)).toMatchObject({ result: "applied" });
  expect(await ask()).toBe(200);
  expect(insurer.arrivals.map(({ url }) => url)).toEqual([
    "/api/N-1/web/models",
    "/api/N-1/phone/models",
  ]);
});

it("a lookup that is declared perConnection is never answered with another connection's answer", async () => {
  const settings = { agency: "X", channel: "web" };
  const { ask, insurer } = await start([toM("north"), toM("south")], { settings });
  expect([await ask("north", "products"), await ask("north", "models")]).toEqual([200, 200]);
  insurer.behaviour = json(500, {});
  expect([await ask("north", "products"), await ask("north", "models")]).toEqual([200, 200]);
  expect([await ask("south", "products"), await ask("south", "models")]).toEqual([503, 200]);
});

describe("connections", () => {
  const settings = { agency: "X", channel: "web" };

  it("that contradict each other or the rest end the start with every fault", async () => {
    const started = start(
      [
        toM("north"),
        toM("north", { tenant: { issuer: ISSUER, name: "other" } }),
        toM("south", { tenant: { issuer: ISSUER, name: "north" } }),
        toM("south-2", { segment: "provider-x", credentials: { type: "none" } }),
        { id: "bare", tenant: { issuer: ISSUER, name: "bare" }, segment: "provider-m" },
        toM("absent"),
        toM("portal", {
          credentials: { type: "login", username: { env: "AGENCY" }, password: { env: "AGENCY" } },
        }),
      ],
      { settings },
    );
    await expect(started).rejects.toMatchObject({
      faults: [
        "connections.list[1].id: appears twice",
        "connections.list[2].tenant: has another connection to this provider",
        "connections.list[3].segment: is no segment of a provider of the configuration",
        'connections.list[4].credentials: must be set; { "type": "none" } where the insurer asks for none',
        "connections.list[5].credentials.value: the environment variable KEY_absent is not set",
        "connections.list[6].credentials: provider-m has no adapter that logs in",
      ],
    });
  });

  it("with values of another form are reported together with what is wrong with the others", async () => {
    const started = start(
      [
        toM("north", { id: "no id", colour: "red", settings: { ...settings, agency: "" } }),
        toM("south", { settings, credentials: { type: "apiKey", header: "host" } }),
        toM("absent", { settings: { agency: "X" } }),
        toM("south", { settings, segment: 1 }),
        // What is no object is none of the types that the list is given with.
        JSON.parse('"east"'),
        toM("west", { settings: "web", tenant: { issuer: ISSUER, name: "south" } }),
      ],
      { connections: { quotas: { requestsPerDay: 0 }, colour: "red" } },
    );
    await expect(started).rejects.toMatchObject({
      faults: [
        expect.stringContaining("connections.list[0].id: must be 1 to 64"),
        "connections.list[0].colour: is not known",
        "connections.list[1].credentials.header: must be a header that is free to set",
        expect.stringContaining("connections.list[1].credentials.value: must be { "),
        expect.stringContaining("connections.list[3].segment: "),
        expect.stringContaining("connections.list[4]: "),
        expect.stringContaining("connections.list[5].settings: "),
        expect.stringContaining("connections.quotas.requestsPerDay: "),
        "connections.colour: is not known",
        "connections.list[0].settings.agency: must not be blank",
        "connections.list[2].credentials.value: the environment variable KEY_absent is not set",
        "connections.list[2].settings.channel: is required",
        "connections.list[3].id: appears twice",
        "connections.list[5].tenant: has another connection to this provider",
        "connections.list[5].credentials.value: the environment variable KEY_west is not set",
      ],
    });
  });

  it.each([
    ["claim", { claim: 1 }],
    ["keptIn", { keptIn: "memory" }],
    ["list", { list: "north" }],
    ["timeZone", { timeZone: "Athens" }],
  ])(
    "with a wrong %s are checked further, and no settings are missed that connections complete",
    async (key, wrong) => {
      const started = start([toM("north", { settings })], {
        settings: { channel: "web", colour: "red" },
        connections: wrong,
      });
      await expect(started).rejects.toMatchObject({
        faults: [
          expect.stringContaining(`connections.${key}: `),
          "providers[0].settings.colour: is not known here",
        ],
      });
    },
  );

  it("that are no object hide no fault of the providers, and claim none", async () => {
    const folder = makeGatewayFolder();
    installPackage(folder, "provider-m", PACKAGE, ADAPTER);
    const settings = { channel: "web", colour: "red" };
    const provider = { package: "provider-m", upstream: { baseUrl: "http://127.0.0.1" }, settings };
    const configuration = { providers: [provider], connections: [] };
    await expect(startInProcess(configuration, {}, { folder })).rejects.toMatchObject({
      faults: [
        expect.stringContaining("connections: "),
        "providers[0].settings.colour: is not known here",
      ],
    });
  });

  it.each([
    [{ list: [toM("north")] }, "claim: is needed"],
    [{ claim: CLAIM }, "list: must have a connection"],
    [
      { claim: CLAIM, keptIn: "store", list: [toM("north")] },
      "list: is for connections in the file",
    ],
    [
      { claim: CLAIM, list: [toM("default")] },
      "list[0].id: default is the provider's own connection",
    ],
    [{ claim: CLAIM, list: [{ ...toM("north"), secret: "x" }] }, "list[0].secret: is not known"],
  ])("of the form %j are refused", async (connections, fault) => {
    const insurer = await insurerAt();
    const providers = [
      { package: "@insurance-gateway/provider-a", upstream: { baseUrl: insurer.baseUrl } },
    ];
    const started = startInProcess({ providers, connections }, environmentOf(["north", "default"]));
    await expect(started).rejects.toThrow(`connections.${fault}`);
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
      connection("north", "north", { segment: "provider-a" }),
      connection("south", "south", { segment: "provider-d" }),
      connection("south", "north", { segment: "provider-a", settings: { agency: "1" } }),
    ];
    const started = startInProcess(
      {
        providers: [
          { ...faulty, upstream },
          { package: "@insurance-gateway/provider-a", upstream },
        ],
        connections: { claim: CLAIM, list },
        issuers: [{ issuer: ONE, jwksUri: ONE, audience: "gateway", algorithms: ["RS256"] }],
      },
      environmentOf(["north"]),
    );
    await expect(started).rejects.toMatchObject({
      faults: [
        expect.stringContaining(`providers[0].${fault}`),
        // Whether it is the faulty provider's is not known; that its secret is missing is.
        expect.stringContaining("connections.list[1].credentials.value: "),
        "connections.list[2].id: appears twice",
        "connections.list[2].tenant: has another connection to this provider",
        expect.stringContaining("connections.list[2].credentials.value: "),
        expect.stringContaining("connections.list[2].settings"),
      ],
    });
  });

  it("of an issuer that is not configured are refused", async () => {
    const list = [connection("north", "north", { issuer: "https://stranger.example" })];
    await expect(
      startBrokers({ claim: CLAIM, list }, nothingFound, { ids: ["north"] }),
    ).rejects.toThrow("connections.list[0].tenant.issuer: is none of the issuers");
  });

  it("are kept while what they sent has no outcome", async () => {
    const list = [connection("north", "north"), connection("south", "south")];
    const brokers = await startBrokers({ claim: CLAIM, list }, (response) => response.destroy(), {
      ids: ["north", "south"],
    });
    onTestFinished(() => brokers.stop());
    await brokers.submit({ tenant: "north" }, applicationBody());
    const environment = environmentOf(["north", "south"]);
    const without = { connections: { claim: CLAIM, list: list.slice(1) } };
    await expect(brokers.restart(without, environment)).rejects.toThrow(
      'connections.list: has no connection "north" to provider-d',
    );
    await expect(brokers.restart({}, environment)).rejects.toThrow('no connection "north"');
    brokers.insurer.behaviour = nothingFound;
    await brokers.restart({ connections: { claim: CLAIM, list } }, environment);
    expect((await brokers.ask({ tenant: "north" })).status).toBe(200);
    expect(new Set(brokers.insurer.arrivals.map(keyIn))).toEqual(new Set(["north"]));
  });
});
