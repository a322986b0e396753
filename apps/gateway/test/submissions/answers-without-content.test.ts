import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { holdTime } from "../harness/held-time.ts";
import { type Behaviour, type Insurer, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { installPackage } from "../harness/provider-package.ts";

/** Declared statuses of answers without content. */
const statuses = [200, 201, 202, 204];

const PACKAGE = `
import { defineProvider, none, submission } from "@insurance-gateway/core/contract";
import { strict } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
const provider = "provider-m";
const body = strict({ note: z.string() });
const noting = (status) => submission({ provider, path: "/notes/" + status, body, sameContent: "none", response: { [status]: none } });
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints: { ${statuses.map((status) => `note${status}: noting(${status})`).join(", ")} },
});`;

/** Adapters of three insurers: one without a declared error format, and two with one. */
const adapters = {
  "no-format": `export const adapter = { ...declared, failures: [] };`,
  declared: `export const adapter = declared;`,
  dialect: `
export const adapter = jsonDialect(providerM, {
  failures: [{ status: 422, media: "application/json", at: "/error/code", is: ["E-17"], code: "CONFLICT", outcome: "rejected", why: "Its manual." }],
  calls: { ${statuses.map((status) => `note${status}: { method: "POST", path: "/notes/${status}", body: [["/body/note", "/note"]], status: ${status} }`).join(", ")} },
});`,
} as const;
type Format = keyof typeof adapters;

let insurer: Insurer;
let gateway: GatewayInProcess;
beforeAll(async () => {
  insurer = await startInsurer((response) => void response.destroy());
  const folder = makeGatewayFolder();
  const providers = Object.entries(adapters).map(([format, source]) => {
    const imports = `import { declared, jsonDialect } from "@insurance-gateway/adapter"; import { providerM } from "./index.js";`;
    installPackage(folder, format, PACKAGE, imports + source);
    const breaker = { failuresInRow: 10_000, minCalls: 10_000 };
    const upstream = { baseUrl: insurer.baseUrl, credentials: { type: "none" } };
    return { package: format, segment: format, upstream, breaker };
  });
  gateway = await startInProcess({ providers }, {}, { folder, time: holdTime() });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

/** Submits to the endpoint that declares this status, while the insurer answers with `behaviour`. */
async function answered(format: Format, declared: number, behaviour: Behaviour): Promise<string> {
  insurer.behaviour = behaviour;
  const response = await gateway.ask(`/${format}/notes/${declared}`, {
    json: { note: "A" },
    headers: { "idempotency-key": crypto.randomUUID() },
  });
  if (response.status >= 300) return (await problemIn(response)).outcome;
  return `${response.status} ${await response.text()}`;
}

function answer(
  status: number,
  body = "",
  headers: Readonly<Record<string, string>> = {},
): Behaviour {
  return (response) => void response.writeHead(status, headers).end(body);
}

const bodies = {
  "a word": ["OK", { "content-type": "text/plain" }],
  "a word without a content type": ["OK", {}],
  JSON: ['{"status":"ok"}', { "content-type": "application/json" }],
  "JSON with an error code": [
    '{"code":1,"error":{"code":"E-1"}}',
    { "content-type": "application/json" },
  ],
  "JSON as plain text": ['{"code":1,"error":{"code":1}}', { "content-type": "text/plain" }],
  "broken JSON": ['{"status":', { "content-type": "application/json" }],
  "an HTML page": ["<h1>OK</h1>", { "content-type": "text/html" }],
  "an HTML page as plain text": ["<!DOCTYPE html><h1>OK</h1>", { "content-type": "text/plain" }],
} as const;

describe("a declared success without content", () => {
  it.each<[keyof typeof bodies, Readonly<Partial<Record<Format, boolean>>>]>([
    ["a word", { "no-format": true, declared: true, dialect: true }],
    ["a word without a content type", { "no-format": true, declared: true, dialect: true }],
    ["JSON", { declared: true, dialect: true }],
    ["JSON with an error code", {}],
    ["JSON as plain text", {}],
    ["broken JSON", {}],
    ["an HTML page", {}],
    ["an HTML page as plain text", {}],
  ])(
    "the gateway accepts an undeclared body with the status 201 or 202 only if the body cannot be an error: %s",
    async (name, counts) => {
      const [body, headers] = bodies[name];
      for (const format of ["no-format", "declared", "dialect"] as const)
        for (const status of [200, 201, 202]) {
          const told = await answered(format, status, answer(status, body, headers));
          const isSuccess = status !== 200 && counts[format] === true;
          expect([format, status, told]).toEqual([
            format,
            status,
            isSuccess ? `${status} ` : "unknown",
          ]);
        }
    },
  );

  it.each(statuses)(
    "the gateway accepts an empty answer with the declared status: %i",
    async (status) => {
      for (const format of ["no-format", "declared", "dialect"] as const)
        expect(await answered(format, status, answer(status))).toBe(`${status} `);
    },
  );

  it("the gateway reports `unknown` for an empty answer with an undeclared success status", async () => {
    for (const status of [200, 203, 205, 207])
      for (const format of ["no-format", "declared"] as const)
        expect(await answered(format, 201, answer(status))).toBe("unknown");
  });
});
