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

/** The insurer takes an API key with a token, or a user name and password. */
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
  ["none", undefined],
  ["another kind", token],
  ["one of two", key],
  ["a key in another header", [{ ...key, header: "X-Key" }, token]],
])(
  "credentials that the insurer does not take are refused at the start: %s",
  async (_, credentials) => {
    await expect(start(credentials)).rejects.toMatchObject({
      faults: [`providers[0].upstream.credentials: ${fault}`],
    });
  },
);

it.each([
  ["all of an alternative, the token from elsewhere", [key, token]],
  ["another alternative", basic],
  ["more than the document says", [basic, { ...key, header: "X-Proxy-Key" }]],
])("credentials that the insurer takes are accepted: %s", async (_, credentials) => {
  await expect(start(credentials)).resolves.toBeUndefined();
});

it("those of each account are checked, and the provider's own may be left out", async () => {
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
