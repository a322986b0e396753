import type { ImportedEndpoint } from "@insurance-gateway/import-provider";
import {
  divideDocument,
  type ImportedPackages,
  importedPackages,
  octokitDocument,
  type PublishedDocument,
} from "@insurance-gateway/import-provider/testing";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { installPackage } from "../harness/provider-package.ts";
import { type MockInsurer, startMockInsurer } from "./mock-insurer.ts";

/** Minimum share of the document's operations that must work. */
const SHARE = 0.98;
const PROVIDERS = 23;

let document: PublishedDocument;
let workspace: ImportedPackages;
let insurer: MockInsurer;
let gateway: GatewayInProcess;

beforeAll(async () => {
  document = octokitDocument();
  workspace = importedPackages(
    divideDocument(document, PROVIDERS).map((from) => ({ from, all: true })),
  );
  insurer = await startMockInsurer(document);
  const folder = makeGatewayFolder();
  for (const { id, sourceOf } of workspace.packages)
    installPackage(
      folder,
      id,
      `export * from ${JSON.stringify(sourceOf("index.ts"))};`,
      `export * from ${JSON.stringify(sourceOf("adapter.ts"))};`,
    );
  gateway = await startInProcess(
    {
      providers: workspace.packages.map(({ id }) => ({
        package: id,
        upstream: { baseUrl: insurer.address, credentials: { type: "none" } },
        callerLimit: { requests: 100_000 },
      })),
    },
    {},
    { folder },
  );
}, 300_000);

afterAll(async () => {
  await gateway?.stop();
  await insurer?.close();
  workspace?.remove();
});

describe("the 1,471 operations of a published OpenAPI document", () => {
  it("the gateway serves at least 98 % of the 1,471 operations of a published OpenAPI document without a fault", async () => {
    const total = Object.values(document.paths).flatMap(Object.keys).filter(isMethod).length;
    const failures = workspace.packages.flatMap(({ imported }) =>
      imported.losses
        .filter(({ severity }) => severity === "lost")
        .map(({ effect, operation }) => `${operation}: ${effect}`),
    );
    let called = 0;
    for (const { id, imported } of workspace.packages)
      for (const endpoint of imported.endpoints) {
        const example = imported.examples.get(endpoint.name);
        const fault = await faultOfCall(id, endpoint, { ...example?.request });
        if (fault === null) called += 1;
        else failures.push(`${endpoint.operation}: ${fault}`);
      }
    const figures = `${called} of ${total} called; not called:\n${failures.join("\n")}`;
    expect(called / total, figures).toBeGreaterThanOrEqual(SHARE);
  }, 600_000);
});

function isMethod(name: string): boolean {
  return ["get", "post", "put", "patch", "delete"].includes(name);
}

type Values = Readonly<Record<string, unknown>>;

interface Request {
  readonly params?: Values;
  readonly query?: Values;
  readonly headers?: Values;
  readonly body?: unknown;
}

/**
 * Calls an endpoint through the gateway. Returns the fault in the answer or in the arrived request; null without a
 * fault.
 */
async function faultOfCall(
  provider: string,
  { body, call, method, path }: ImportedEndpoint,
  request: Request,
): Promise<string | null> {
  const query = new URLSearchParams(
    Object.entries({ ...request.query }).flatMap(([name, value]) =>
      [value].flat().map((item): [string, string] => [name, String(item)]),
    ),
  );
  const mediaType = body?.media[0]?.mediaType ?? "application/json";
  const answer = await fetch(
    `${gateway.address}/${provider}${filled(path, request.params)}?${query.toString()}`,
    {
      method,
      headers: {
        authorization: `Bearer ${gateway.token}`,
        ...Object.fromEntries(
          Object.entries({ ...request.headers }).map(([name, value]) => [name, String(value)]),
        ),
        ...(request.body === undefined ? {} : { "content-type": mediaType }),
      },
      ...(request.body === undefined ? {} : { body: written(request.body) }),
    },
  );
  const text = await answer.text();
  const arrival = insurer.arrivals.at(-1);
  if (!answer.ok)
    return `the gateway answered ${answer.status}: ${text.slice(0, 300)} ${arrival?.violations.join("; ")}`;
  if (arrival === undefined) return "nothing arrived";
  if (arrival.violations.length > 0) return `Prism: ${arrival.violations.join("; ")}`;
  const target = new URL(arrival.target, "http://insurer");
  const sent = [
    method,
    filled(call.path ?? path, request.params),
    [...query].join("&"),
    plain(request.body),
  ];
  const arrived = [
    arrival.method,
    target.pathname,
    [...target.searchParams].join("&"),
    arrival.body === "" ? undefined : plain(parsed(arrival.body)),
  ];
  const different = sent.findIndex((part, index) => part !== arrived[index]);
  if (different !== -1) return `sent ${sent[different]}, and ${arrived[different]} arrived`;
  const missing = Object.entries({ ...request.headers }).find(
    ([name, value]) => !name.startsWith("cookie-") && arrival.headers[name] !== String(value),
  );
  return missing === undefined ? null : `the header ${missing[0]} did not arrive`;
}

function filled(path: string, params: Values = {}): string {
  return path.replaceAll(/\{([^}]*)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
}

function written(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns a value as text. Numbers become texts, as the gateway writes 64-bit numbers. */
function plain(value: unknown): string | undefined {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "number" ? String(member) : member,
  );
}
