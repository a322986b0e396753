import {
  exampleNames,
  type OpenApiDocument,
  operationsOf,
  sampleRequest,
} from "@insurance-gateway/reference";
import { type SandboxGateway, startSandboxGateway } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  startValidatingProxy,
  type ValidatingProxy,
  VIOLATIONS,
} from "./harness/validating-proxy.ts";

interface Violation {
  readonly location: readonly string[];
}

let gateway: SandboxGateway;

beforeAll(async () => {
  gateway = await startSandboxGateway();
});
afterAll(() => gateway.stop());

describe.each(["a", "b", "c", "d", "e"].map((letter) => `provider-${letter}`))("%s", (provider) => {
  let document: OpenApiDocument;
  let proxy: ValidatingProxy;

  beforeAll(async () => {
    const url = `${gateway.address}/reference/providers/${provider}/openapi.json`;
    // Held to its form by tooling/openapi.
    document = (await (await fetch(url)).json()) as OpenApiDocument;
    proxy = await startValidatingProxy(document, gateway.address);
  });
  afterAll(() => proxy.close());

  /** Sends an example through the proxy, with a change to make of it what is refused. */
  async function send(
    placed: ReturnType<typeof operationsOf>[number],
    example: string,
    change: { readonly headers?: Record<string, string>; readonly body?: unknown } = {},
  ): Promise<{ status: number; violations: readonly Violation[] }> {
    const { method, query, url, body } = sampleRequest(placed, { address: proxy.address }, example);
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const sent = change.body ?? body;
    const response = await fetch(`${url}?${search.toString()}`, {
      method,
      headers: {
        authorization: `Bearer ${gateway.token}`,
        accept: "application/json, application/pdf, application/problem+json",
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
        ...change.headers,
      },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    });
    await response.arrayBuffer();
    const violations: readonly Violation[] = JSON.parse(response.headers.get(VIOLATIONS) ?? "[]");
    return { status: response.status, violations };
  }

  it("answers every example with the documented success, and nothing in it is undocumented", async () => {
    for (const placed of operationsOf(document)) {
      const success = Object.keys(placed.operation.responses).filter((code) => code < "300");
      for (const example of exampleNames(placed.operation)) {
        const { status, violations } = await send(placed, example);
        expect(violations, placed.operation.operationId).toEqual([]);
        expect(success).toContain(String(status));
      }
    }
  });

  it("answers what it refuses with a documented problem", async () => {
    for (const placed of operationsOf(document)) {
      const [example = ""] = exampleNames(placed.operation);
      const forged = await send(placed, example, { headers: { authorization: "Bearer forged" } });
      expect(forged).toEqual({ status: 401, violations: [] });
      const scenario = { "x-sandbox-scenario": "no such scenario" };
      const unknown = await send(placed, example, { headers: scenario });
      expect(Object.keys(placed.operation.responses)).toContain(String(unknown.status));
      expect(unknown.violations).toEqual([]);
      if (placed.operation.requestBody === undefined) continue;
      const refused = await send(placed, example, { body: { holder: 1 } });
      expect(refused.status).toBe(400);
      // The proxy says where the request breaks the document, as the gateway does; the answer breaks nothing.
      const places = refused.violations.map(({ location }) => location[0]);
      expect(new Set(places)).toEqual(new Set(["request"]));
    }
  });
});

it("the proxy notices what is not documented", async () => {
  const url = `${gateway.address}/reference/providers/provider-a/openapi.json`;
  const text = await (await fetch(url)).text();
  const proxy = await startValidatingProxy(
    JSON.parse(text.replaceAll('"items"', '"entries"')),
    gateway.address,
  );
  const response = await fetch(`${proxy.address}/provider-a/auto/brands`, {
    headers: { authorization: `Bearer ${gateway.token}` },
  });
  await response.arrayBuffer();
  await proxy.close();
  expect(response.headers.get(VIOLATIONS)).toContain("entries");
});
