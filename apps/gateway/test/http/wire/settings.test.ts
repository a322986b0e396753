import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { expect, it, onTestFinished } from "vitest";
import { type GatewayInProcess, startInProcess } from "../../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../../harness/insurer.ts";
import { installPackage } from "../../harness/provider-package.ts";

/** Provider with a tenant in the operator's settings; its adapter writes the tenant into every path. */
const PACKAGE = `
import { defineProvider, lookup } from "@insurance-gateway/core/contract";
import { loose, strict, text } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
const provider = "provider-m";
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  settings: strict({ tenant: text(20), level: z.int(), note: z.exactOptional(text()) }),
  endpoints: {
    listModels: lookup({ provider, path: "/models", response: { 200: loose({ items: z.array(z.string()) }) } }),
  },
});`;

const ADAPTER = `
import { declared } from "@insurance-gateway/adapter";
export const adapter = {
  ...declared,
  name: "m",
  call: (endpoint, input, send, context) => {
    const { level, tenant } = context.settings;
    const inTenant = (request) => send({ ...request, path: "/" + tenant + "/" + level + request.path });
    return declared.call(endpoint, input, inTenant, context);
  },
};`;

async function start(
  settings: object | undefined,
  environment: Record<string, string> = {},
): Promise<{ readonly gateway: GatewayInProcess; readonly insurer: Insurer }> {
  const insurer = await startInsurer(json(200, { items: [] }));
  onTestFinished(() => insurer.close());
  const folder = makeGatewayFolder();
  installPackage(folder, "provider-m", PACKAGE, ADAPTER);
  const upstream = { baseUrl: insurer.baseUrl, credentials: { type: "none" } };
  const provider = { package: "provider-m", upstream, settings };
  const gateway = await startInProcess({ providers: [provider] }, environment, { folder });
  onTestFinished(() => gateway.stop());
  return { gateway, insurer };
}

it("the adapter receives the operator's settings, and a secret from the environment", async () => {
  const settings = { tenant: { env: "TENANT" }, level: 3 };
  const { gateway, insurer } = await start(settings, { TENANT: "acme" });
  const response = await gateway.ask("/provider-m/models");
  expect(response.status).toBe(200);
  expect(insurer.arrivals.map(({ url }) => url)).toEqual(["/api/acme/3/models"]);
});

it.each([
  [undefined, ["tenant: is required", "level: is required"]],
  [
    { tenant: "a".repeat(21), level: "3", tenat: "x" },
    [
      "tenat: is not a setting of this provider",
      "tenant: must have at most 20 characters",
      "level: must be a number",
    ],
  ],
  [
    { tenant: { env: "NOT_SET" }, level: 1, note: { other: "x" } },
    [
      "tenant: the environment variable NOT_SET is not set",
      "tenant: must not be blank",
      "note: must be a string",
    ],
  ],
])(
  "the gateway does not start with invalid settings of a provider, and reports every fault: %j",
  async (settings, faults) => {
    await expect(start(settings)).rejects.toMatchObject({
      faults: faults.map((fault) => `providers[0].settings.${fault}`),
    });
  },
);
