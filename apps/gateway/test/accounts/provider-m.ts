import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { onTestFinished } from "vitest";
import { account, CLAIM, environmentOf } from "../harness/brokers.ts";
import { startInProcess } from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { installPackage } from "../harness/provider-package.ts";

/** A provider with two settings: an agency, which differs between accounts, and a channel, which all accounts share. */
export const PACKAGE = `
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
    listModels: lookup({ provider, path: "/models", freshFor: 3600, response: { 200: loose({ items: z.array(z.string()) }) } }),
    listProducts: lookup({ provider, path: "/products", perAccount: true, freshFor: 3600, response: { 200: loose({ items: z.array(z.string()) }) } }),
  },
});`;

/** The provider's adapter. It puts the agency and the channel into the path of each request to the insurer. */
export const ADAPTER = `
import { declared } from "@insurance-gateway/adapter";
export const adapter = {
  ...declared,
  name: "m",
  call: (endpoint, input, send, { settings, ...context }) => {
    const inAgency = (request) => send({ ...request, path: "/" + settings.agency + "/" + settings.channel + request.path });
    return declared.call(endpoint, input, inAgency, { ...context, settings });
  },
};`;

/** Starts the provider's insurer, and closes it after the test. */
export async function insurerAt(): Promise<Insurer> {
  const insurer = await startInsurer(json(200, { items: [] }));
  onTestFinished(() => insurer.close());
  return insurer;
}

/** Starts a gateway with accounts to provider M. Returns a function that sends calls, and the insurer. */
export async function start(
  list: readonly object[],
  {
    answers,
    accounts = {},
    settings,
    sandbox = false,
  }: {
    readonly answers?: object;
    readonly accounts?: object;
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
  const provider = { package: "provider-m", upstream, settings, answers };
  const gateway = await startInProcess(
    { providers: [provider], accounts: { claim: CLAIM, list, ...accounts } },
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

/** The issuer of the tokens. */
export const ISSUER = "urn:insurance-gateway:development-issuer";
/** Returns an account to provider M whose id is also the tenant's name. */
export const toM = (id: string, more: object = {}): object =>
  account(id, id, { issuer: ISSUER, segment: "provider-m", ...more });
