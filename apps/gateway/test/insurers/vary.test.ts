import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { expect, it, onTestFinished } from "vitest";
import { startInProcess } from "../harness/gateway-in-process.ts";
import { json, startInsurer } from "../harness/insurer.ts";
import { installPackage } from "../harness/provider-package.ts";

const PACKAGE = `
import { defineProvider, lookup, read } from "@insurance-gateway/core/contract";
import { loose, strict, text, zodSchema } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
const provider = "provider-m";
const models = loose({ items: z.array(z.unknown()) });
const headers = strict({ "x-branch": z.exactOptional(text(20)) });
const media = { "application/json": models, "text/plain": zodSchema(z.string()) };
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints: {
    plain: lookup({ provider, path: "/plain", freshFor: 60, response: { 200: models } }),
    chosen: lookup({ provider, path: "/chosen", headers, freshFor: 60, response: { 200: { media } } }),
    accounts: lookup({ provider, path: "/accounts", perAccount: true, freshFor: 60, response: { 200: models } }),
    own: read({ provider, path: "/own", headers, response: { 200: { media } } }),
  },
});`;

it("the header `Vary` of a cacheable answer names the request headers that select the answer", async () => {
  const insurer = await startInsurer(json(200, { items: [] }));
  const folder = makeGatewayFolder();
  installPackage(folder, "provider-m", PACKAGE);
  const upstream = { baseUrl: insurer.baseUrl, adapter: "declared" };
  const answers = { freshMinutes: 60 };
  const provider = { package: "provider-m", upstream, answers };
  const gateway = await startInProcess({ providers: [provider] }, {}, { folder });
  onTestFinished(async () => {
    await gateway.stop();
    await insurer.close();
  });
  const ask = async (path: string, headers = {}): Promise<readonly unknown[]> => {
    const response = await gateway.ask(`/provider-m/${path}`, { headers });
    const { etag = "" } = Object.fromEntries(response.headers);
    return [response.status, response.headers.get("vary"), etag];
  };
  expect(await ask("plain")).toEqual([200, null, expect.any(String)]);
  const [status, vary, etag] = await ask("chosen");
  expect([status, vary]).toEqual([200, "accept, x-branch"]);
  expect(await ask("chosen")).toEqual([200, "accept, x-branch", etag]);
  expect(await ask("chosen", { "if-none-match": etag })).toEqual([304, "accept, x-branch", etag]);
  // The insurer may answer another account differently.
  expect(await ask("accounts")).toEqual([200, "authorization", expect.any(String)]);
  // Callers may not store this answer.
  expect(await ask("own")).toEqual([200, null, ""]);
});

it("the header `Vary` of a sandbox's answer names the scenario's header", async () => {
  const provider = { package: "@insurance-gateway/provider-a", upstream: "sandbox" };
  const gateway = await startInProcess({ providers: [provider] });
  onTestFinished(() => gateway.stop());
  const ask = async (): Promise<readonly unknown[]> => {
    const response = await gateway.ask("/provider-a/auto/brands");
    return [response.status, response.headers.get("vary")];
  };
  const named = [200, "x-sandbox-scenario"];
  expect(await ask()).toEqual(named);
  // This answer comes from the gateway's memory.
  expect(await ask()).toEqual(named);
});
