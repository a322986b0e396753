import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";

/** A provider that changes a policy, confirms one without a body, and takes notes. */
const PACKAGE = `
import { defineProvider, submission } from "@insurance-gateway/core/contract";
import { loose, strict } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
const provider = "provider-m";
const params = strict({ policyId: z.string() });
const response = { 200: loose({ policyId: z.string() }) };
const body = strict({ colour: z.string() });
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints: {
    changePolicy: submission({ provider, method: "PUT", path: "/policies/{policyId}", params, body, response }),
    confirmPolicy: submission({ provider, path: "/policies/{policyId}/confirmations", params, response }),
    addNote: submission({ provider, path: "/policies/{policyId}/notes", params, body, response, sameContent: "none" }),
  },
});`;

const core = fileURLToPath(new URL("../../../../packages/core", import.meta.url));

let gateway: GatewayInProcess;
let insurer: Insurer;
beforeAll(async () => {
  insurer = await startInsurer(json(200, { policyId: "P-1" }));
  const folder = makeGatewayFolder();
  const installed = join(folder.path, "node_modules", "provider-m");
  mkdirSync(installed, { recursive: true });
  // What a package manager would install beside it.
  mkdirSync(join(installed, "node_modules", "@insurance-gateway"), { recursive: true });
  symlinkSync(core, join(installed, "node_modules", "@insurance-gateway", "core"));
  symlinkSync(join(core, "node_modules", "zod"), join(installed, "node_modules", "zod"));
  const manifest = {
    type: "module",
    exports: { ".": "./index.js", "./package.json": "./package.json" },
  };
  writeFileSync(join(installed, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(installed, "index.js"), PACKAGE);
  const provider = { ...insurerConfiguration("d", insurer.baseUrl), package: "provider-m" };
  gateway = await startInProcess({ providers: [provider] }, {}, { folder });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

async function send(method: string, path: string, body?: object): Promise<string> {
  const response = await fetch(`${gateway.address}/provider-m/policies/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${gateway.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  return `${response.status}${response.headers.has("idempotency-replayed") ? " replayed" : ""}`;
}

it("a change, another one and the first again are three, without a key", async () => {
  const before = insurer.arrivals.length;
  for (const colour of ["red", "blue", "red"])
    expect(await send("PUT", "P-1", { colour })).toBe("200");
  expect(insurer.arrivals.length - before).toBe(3);
});

it("two path parameters with an empty body are two; each again is the same", async () => {
  const before = insurer.arrivals.length;
  expect(await send("POST", "P-1/confirmations")).toBe("200");
  expect(await send("POST", "P-2/confirmations")).toBe("200");
  expect(await send("POST", "P-1/confirmations")).toBe("200 replayed");
  expect(insurer.arrivals.length - before).toBe(2);
});

it("equal requests are each sent where the endpoint says that they are usual", async () => {
  const before = insurer.arrivals.length;
  for (let count = 0; count < 2; count++)
    expect(await send("POST", "P-1/notes", { colour: "red" })).toBe("200");
  expect(insurer.arrivals.length - before).toBe(2);
});
