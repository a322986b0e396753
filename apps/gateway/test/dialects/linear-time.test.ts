import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { installPackage } from "../harness/provider-package.ts";

/**
 * A provider package whose schema has three alternatives. Each alternative has a 64-bit number and can contain the
 * three alternatives again. `globalThis.checkedNames` counts the checks of the field `name`.
 */
const PACKAGE = `
import { defineProvider, lookup, quote } from "@insurance-gateway/core/contract";
import { digits, integer, list, loose, map, oneOf, strict, string, zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
const provider = "provider-m";
globalThis.checkedNames = 0;
const name = string().check(z.refine(() => { globalThis.checkedNames += 1; return true; }));
const choice = (object) => {
  const made = oneOf(...[0, 1, 2].map((flag) => zod(object({
    name,
    number: digits(),
    flag: integer({ minimum: flag, maximum: flag }),
    get next() { return z.exactOptional(made); },
  }))));
  return made;
};
const items = { items: z.exactOptional(list(string())), byName: z.exactOptional(map(integer())) };
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints: {
    price: quote({ provider, path: "/price", body: strict({ tree: choice(strict) }), response: { 200: loose({ tree: choice(loose) }) } }),
    models: lookup({ provider, path: "/models", response: { 200: loose(items) } }),
  },
});`;
const ADAPTER = `
import { publishedDialect } from "@insurance-gateway/adapter";
import { providerM } from "./index.js";
export const adapter = publishedDialect(providerM, { calls: {} });`;

let insurer: Insurer;
let gateway: GatewayInProcess;
beforeAll(async () => {
  insurer = await startInsurer(json(200, {}));
  const folder = makeGatewayFolder();
  installPackage(folder, "provider-m", PACKAGE, ADAPTER);
  const upstream = { baseUrl: insurer.baseUrl, credentials: { type: "none" } };
  gateway = await startInProcess(
    // If the gateway compared answers with their declarations, the comparison would run later and count as steps of
    // another call.
    { providers: [{ package: "provider-m", upstream }], drift: { samplePercent: 0 } },
    {},
    { folder },
  );
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

async function send(path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${gateway.address}/provider-m/${path}`, {
    headers: {
      authorization: `Bearer ${gateway.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** Returns a value with the given number of nested levels, all of the last alternative. */
function nested(levels: number, number: unknown): object {
  let value: object = { name: "x", number, flag: 2 };
  for (let level = 1; level < levels; level += 1)
    value = { name: "x", number, flag: 2, next: value };
  return value;
}

/** Returns the number of checked names in a call whose request and answer have the given number of nested levels. */
async function stepsOf(levels: number): Promise<number> {
  insurer.behaviour = json(200, { tree: nested(levels, 7) });
  const before = Number(Reflect.get(globalThis, "checkedNames"));
  const tree = nested(levels, "7");
  expect(await send("price", { tree })).toEqual({ status: 200, body: { tree } });
  return Number(Reflect.get(globalThis, "checkedNames")) - before;
}

describe("recursive requests and answers", () => {
  it("the time to check nested recursive values grows only linearly with the number of levels", async () => {
    const five = await stepsOf(5);
    expect(await stepsOf(10)).toBeLessThanOrEqual(2.5 * five);
  });
});

describe("answers with hundreds of thousands of faults", () => {
  it.each([
    ["a list", { items: Array<number>(300_000).fill(1) }],
    ["a map", { byName: Object.fromEntries(Array.from({ length: 150_000 }, (_, n) => [n, "x"])) }],
  ])(
    "the gateway refuses an insurer's answer with hundreds of thousands of faults in %s, and the process continues",
    async (_, answer) => {
      insurer.behaviour = json(200, answer);
      const { body, status } = await send("models");
      expect([status, Object(body).code]).toEqual([502, "PROVIDER_BAD_RESPONSE"]);
    },
  );

  it("the gateway refuses an insurer's answer with 150,000 nested levels, and the process continues", async () => {
    insurer.behaviour = json(200, `${'{"items":['.repeat(150_000)}${"]}".repeat(150_000)}`);
    const { body, status } = await send("models");
    expect([status, Object(body).code]).toEqual([502, "PROVIDER_BAD_RESPONSE"]);
    insurer.behaviour = json(200, {});
    expect((await send("models")).status).toBe(200);
  });
});
