import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { defineProvider, read } from "@insurance-gateway/core/contract";
import type { BodyDeclaration } from "@insurance-gateway/core/runtime";
import { file, loose, strict, zodSchema } from "@insurance-gateway/core/schema";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod/mini";
import { connect } from "./harness/in-process.ts";

const provider = "provider-m";
const response = { 200: loose<{ done: boolean }>({ done: z.boolean() }) };
const claim = strict<{ reason: string }>({ reason: z.string() });
const photo = strict<{ photo: unknown }>({ photo: file() });
const asking = (name: string, body: BodyDeclaration) =>
  read<{ body: unknown; response: { done: boolean } }>({
    provider,
    method: "POST",
    path: `/${name}`,
    body,
    response,
  });
const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints: {
    optional: asking("optional", { required: false, media: { "application/json": claim } }),
    form: asking("form", { media: { "application/x-www-form-urlencoded": claim } }),
    text: asking("text", { media: { "text/plain": zodSchema(z.string()) } }),
    photo: asking("photo", { media: { "multipart/form-data": photo } }),
    either: asking("either", {
      media: { "multipart/form-data": photo, "application/json": claim },
    }),
    scan: asking("scan", { media: { "application/pdf": zodSchema(file()) } }),
  },
});

const arrivals: string[] = [];
const server = createServer((request, reply) => {
  void textOf(request).then((body) => {
    arrivals.push(`${request.url} ${request.headers["content-type"] ?? "-"} ${body}`);
    reply.writeHead(200, { "content-type": "application/json" }).end('{"done":true}');
  });
});
let gateway = "";
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on TCP has an address with a port.
  gateway = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it("the MCP server offers no tool for an endpoint that requires a file", async () => {
  const client = await connect({ provider: providerM });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    ...["optional", "form", "text", "either"].map((name) => `provider-m_${name}`),
    "provider_status",
  ]);
});

it.each([
  ["optional", {}, "- "],
  ["optional", { body: { reason: "x" } }, 'application/json {"reason":"x"}'],
  ["form", { body: { reason: "a b" } }, "application/x-www-form-urlencoded reason=a+b"],
  ["text", { body: "one line" }, "text/plain; charset=utf-8 one line"],
  ["either", { body: { reason: "x" } }, 'application/json {"reason":"x"}'],
])(
  "the MCP server sends the body of a tool call in the media type that the endpoint declares: %s, %j",
  async (name, given, arrival) => {
    const client = await connect({ provider: providerM, gateway });
    const { isError = false } = await client.callTool({
      name: `provider-m_${name}`,
      arguments: given,
    });
    expect(isError).toBe(false);
    expect(arrivals.at(-1)).toBe(`/provider-m/${name} ${arrival}`);
  },
);

it("a tool call without a body fails with one error for each required field of the body", async () => {
  const client = await connect({ provider: providerM, gateway });
  const { isError, structuredContent } = await client.callTool({
    name: "provider-m_form",
    arguments: {},
  });
  expect(isError).toBe(true);
  expect(structuredContent).toMatchObject({ errors: [{ pointer: "/reason", code: "REQUIRED" }] });
});
