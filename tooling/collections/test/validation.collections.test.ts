import {
  exampleNames,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type ResponseObject,
  sampleRequest,
} from "@insurance-gateway/reference";
import {
  developmentToken,
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  sandboxConfiguration,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startValidatingProxy, type ValidatingProxy, VIOLATIONS } from "./validating-proxy.ts";

interface Answered {
  readonly status: number;
  readonly violations: readonly Violation[];
  readonly problem: Problem | null;
  /** The header names in lower case. */
  readonly headers: readonly string[];
}

interface Violation {
  readonly location: readonly string[];
}

/** The fields of a problem that the test compares with the document. */
interface Problem {
  readonly code: string;
  readonly outcome: string;
  readonly retry: string;
}

interface Scenario {
  readonly provider: string;
  readonly endpoint: string;
  readonly name: string;
}

let folder: GatewayFolder;
let gateway: GatewayProcess;
let token: string;
let scenarios: readonly Scenario[];

beforeAll(async () => {
  const providers = sandboxConfiguration.providers.map((provider) => ({
    ...provider,
    // The slowest scenario with an answer takes five seconds, so a longer timeout would only delay the test.
    timeouts: { totalMs: 7_000, submissionMs: 7_000 },
  }));
  folder = makeGatewayFolder({ providers });
  token = await developmentToken(folder.path);
  gateway = await startGatewayProcess(folder.path);
  const response = await fetch(`${gateway.address}/sandbox/scenarios`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { items }: { items: readonly Scenario[] } = Object(await response.json());
  scenarios = items;
});
afterAll(async () => {
  await gateway.stop();
  folder.remove();
});

type Placed = ReturnType<typeof operationsOf>[number];

/** A change of an example that makes the gateway refuse the request. */
interface Change {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends an example through a proxy. */
async function sendThrough(
  proxy: ValidatingProxy,
  placed: Placed,
  example: string,
  change: Change,
): Promise<Answered> {
  const { method, query, url, body } = sampleRequest(placed, { address: proxy.address }, example);
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const sent = change.body ?? body;
  const response = await fetch(`${url}?${search.toString()}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, application/pdf, application/problem+json",
      ...(sent === undefined ? {} : { "content-type": "application/json" }),
      ...change.headers,
    },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
  });
  const content = await response.text();
  const violations: readonly Violation[] = JSON.parse(response.headers.get(VIOLATIONS) ?? "[]");
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json");
  const problem: Problem | null = isProblem === true ? JSON.parse(content) : null;
  const headers = [...response.headers.keys()];
  return { status: response.status, violations, problem, headers };
}

describe.each(["a", "b", "c", "d", "e"].map((letter) => `provider-${letter}`))("%s", (provider) => {
  let document: OpenApiDocument;
  let proxy: ValidatingProxy;

  beforeAll(async () => {
    const url = `${gateway.address}/reference/providers/${provider}/openapi.json`;
    // The tests of tooling/openapi check the shape of this document.
    document = (await (await fetch(url)).json()) as OpenApiDocument;
    proxy = await startValidatingProxy(document, gateway.address);
  });
  afterAll(() => proxy.close());

  const send = (placed: Placed, example: string, change: Change = {}): Promise<Answered> =>
    sendThrough(proxy, placed, example, change);

  it("the gateway answers every documented example request with the documented status and without undocumented fields", async () => {
    for (const placed of operationsOf(document)) {
      const success = Object.keys(placed.operation.responses).filter((code) => code < "300");
      for (const example of exampleNames(placed.operation)) {
        const { status, violations } = await send(placed, example);
        expect(violations, placed.operation.operationId).toEqual([]);
        expect(success).toContain(String(status));
      }
    }
  });

  it("the gateway answers requests with a forged token, an unknown scenario or a wrong body with a documented problem", async () => {
    for (const placed of operationsOf(document)) {
      const [example = ""] = exampleNames(placed.operation);
      const forged = await send(placed, example, { headers: { authorization: "Bearer forged" } });
      expect(forged).toMatchObject({ status: 401, violations: [] });
      const scenario = { "x-sandbox-scenario": "no such scenario" };
      const unknown = await send(placed, example, { headers: scenario });
      expect(Object.keys(placed.operation.responses)).toContain(String(unknown.status));
      expect(unknown.violations).toEqual([]);
      if (placed.operation.requestBody === undefined) continue;
      const refused = await send(placed, example, { body: { holder: 1 } });
      expect(refused.status).toBe(400);
      // Like the gateway, the proxy must find the violation in the request and not in the answer.
      const places = refused.violations.map(({ location }) => location[0]);
      expect(new Set(places)).toEqual(new Set(["request"]));
    }
  });
});

describe("scenarios of the sandbox", () => {
  it("the answer to every sandbox scenario has the documented status, headers, problem, outcome and retry advice", async () => {
    const provoked = new Set<string>();
    for (const { endpoint, name, provider } of scenarios) {
      const url = `${gateway.address}/reference/providers/${provider}/openapi.json`;
      // The tests of tooling/openapi check the shape of this document.
      const document = (await (await fetch(url)).json()) as OpenApiDocument;
      const proxy = await startValidatingProxy(document, gateway.address);
      const placed = operationsOf(document).find(
        ({ operation }) => operation.operationId === endpoint,
      );
      if (placed === undefined) throw new TypeError(`${endpoint} is not documented`);
      const [example = ""] = exampleNames(placed.operation);
      const headers = { "x-sandbox-scenario": name };
      const answered = await sendThrough(proxy, placed, example, { headers });
      await proxy.close();
      const { problem, status } = answered;
      expect(answered.violations, name).toEqual([]);
      const documented = responseOf(document, placed.operation.responses[String(status)]);
      const listed = Object.keys(documented?.headers ?? {}).map((header) => header.toLowerCase());
      for (const header of answered.headers.filter((each) => meant.has(each)))
        expect(listed, `${name}: ${header}`).toContain(header);
      if (problem === null) continue;
      provoked.add(problem.code);
      const { code, outcome, retry } = problem;
      // A rare meaning of a code also has a condition.
      expect(documented?.["x-outcome"]?.[code], `${provider} ${name}`).toContainEqual(
        expect.objectContaining({ outcome, retry }),
      );
    }
    expect([...provoked].toSorted()).toEqual(
      expect.arrayContaining(["OUTCOME_UNKNOWN", "PROVIDER_REJECTED", "PROVIDER_UNAVAILABLE"]),
    );
  });
});

/** The headers that the test compares, because they have a meaning for callers. All other headers belong to HTTP. */
const meant = new Set([
  "proxy-status",
  "retry-after",
  "location",
  "idempotency-replayed",
  "ratelimit",
  "ratelimit-policy",
  "x-request-id",
  "etag",
  "age",
  "cache-control",
]);

function responseOf(
  { components }: OpenApiDocument,
  response: Operation["responses"][string] | undefined,
): ResponseObject | undefined {
  if (response === undefined || !("$ref" in response)) return response;
  return components.responses[response.$ref.replace("#/components/responses/", "")];
}

describe("the validating proxy", () => {
  it("the validating proxy reports a field of an answer if the OpenAPI document does not contain the field", async () => {
    const url = `${gateway.address}/reference/providers/provider-a/openapi.json`;
    const text = await (await fetch(url)).text();
    const proxy = await startValidatingProxy(
      JSON.parse(text.replaceAll('"items"', '"entries"')),
      gateway.address,
    );
    const response = await fetch(`${proxy.address}/provider-a/auto/brands`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await response.arrayBuffer();
    await proxy.close();
    expect(response.headers.get(VIOLATIONS)).toContain("entries");
  });
});
