import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { expect, it, onTestFinished } from "vitest";
import { startInProcess } from "../../harness/gateway-in-process.ts";
import { installPackage } from "../../harness/provider-package.ts";

const PACKAGE = `
import { defineProvider, lookup } from "@insurance-gateway/core/contract";
import { loose } from "@insurance-gateway/core/schema";
const provider = "provider-m";
const listModels = lookup({ provider, path: "/models", response: { 200: loose({}) } });
export const providerM = defineProvider({ id: provider, name: "Provider M", lines: [], endpoints: { listModels } });`;

/** Adapter of an insurer that accepts either an API key together with a token, or a user name and password. */
const ADAPTER = `
import { declared } from "@insurance-gateway/adapter";
export const adapter = {
  ...declared,
  credentials: [[{ type: "apiKey", header: "X-Api-Key" }, { type: "oauth2" }], [{ type: "basic" }]],
};`;

const secret = { env: "SECRET" };
const key = { type: "apiKey", header: "x-api-key", value: secret };
const token = { type: "bearer", token: secret };
const basic = { type: "basic", username: secret, password: secret };

async function start(credentials: unknown, accounts?: object): Promise<void> {
  const folder = makeGatewayFolder();
  installPackage(folder, "provider-m", PACKAGE, ADAPTER);
  const upstream = {
    baseUrl: "https://insurer.example",
    ...(credentials === undefined ? {} : { credentials }),
  };
  const configuration = {
    providers: [{ package: "provider-m", upstream }],
    ...(accounts === undefined ? {} : { accounts }),
  };
  const gateway = await startInProcess(configuration, { SECRET: "s" }, { folder });
  onTestFinished(() => gateway.stop());
}

const fault =
  "must have apiKey in X-Api-Key with oauth2, or basic: the insurer accepts nothing else";

it.each([
  ["no credentials", undefined],
  ["another type of credentials", token],
  ["one of two required credentials", key],
  ["an API key in another header", [{ ...key, header: "X-Key" }, token]],
])(
  "the gateway refuses to start with credentials that the insurer does not accept: %s",
  async (_, credentials) => {
    await expect(start(credentials)).rejects.toMatchObject({
      faults: [`providers[0].upstream.credentials: ${fault}`],
    });
  },
);

it.each([
  ["an API key with a token from another source", [key, token]],
  ["a user name and password", basic],
  ["a user name and password with a further header", [basic, { ...key, header: "X-Proxy-Key" }]],
])("the gateway starts with credentials that the insurer accepts: %s", async (_, credentials) => {
  await expect(start(credentials)).resolves.toBeUndefined();
});

it("the gateway checks the credentials of each account when the gateway starts, even if the provider itself has no credentials", async () => {
  const accountOf = (id: string, credentials: object): object => ({
    id,
    tenant: { issuer: "urn:insurance-gateway:development-issuer", name: id },
    segment: "provider-m",
    credentials,
  });
  const list = [accountOf("north", basic), accountOf("south", token)];
  await expect(start(undefined, { claim: "agency", list })).rejects.toMatchObject({
    faults: [`accounts.list[1].credentials: ${fault}`],
  });
});
