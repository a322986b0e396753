import { providerA } from "@insurance-gateway/provider-a";
import { providerB } from "@insurance-gateway/provider-b";
import { providerC } from "@insurance-gateway/provider-c";
import { providerD } from "@insurance-gateway/provider-d";
import { providerE } from "@insurance-gateway/provider-e";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SEGMENT_OF_B, startGateway, type TestGateway } from "./harness/gateways.ts";
import { contentOf, type McpProcess, startMcp } from "./harness/mcp-process.ts";
import { type Relay, startRelay } from "./harness/relay.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const start = (parameters: readonly string[] = [], relay?: Relay): Promise<McpProcess> =>
  startMcp({ ...gateway, gateway: relay?.address ?? gateway.address, parameters });

async function toolsOf({
  client,
}: McpProcess): Promise<Awaited<ReturnType<typeof client.listTools>>["tools"]> {
  return (await client.listTools()).tools;
}

/** Returns the gateway's answer to a direct call without MCP. */
function fetched(path: string, body?: object): Promise<Response> {
  return fetch(gateway.address + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const harmless = [
  "provider-a_listBrands",
  "provider-b_listCountries",
  "provider-c_listVehicleUsages",
  "provider-d_searchApplications",
  "provider-e_calculatePensionQuote",
];

describe("tools", () => {
  it("the default tools are the lookups, searches and quotes of every installed provider", async () => {
    const tools = await toolsOf(await start());
    expect(tools.map(({ name }) => name)).toEqual([...harmless, "provider_status"]);
    expect(tools.map(({ annotations }) => annotations)).toEqual(
      tools.map(({ name }) => ({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: name !== "provider_status",
      })),
    );
  });

  it("the option `--allow` adds the tools of further kinds of endpoints, and only the tool for a submission is not read-only", async () => {
    const tools = await toolsOf(await start(["--allow", "document", "submission"]));
    const declared = [providerA, providerB, providerC, providerD, providerE].flatMap(
      ({ endpoints, id }) => Object.keys(endpoints).map((name) => `${id}_${name}`),
    );
    expect(new Set(tools.map(({ name }) => name))).toEqual(
      new Set([...declared, "submission_status", "provider_status"]),
    );
    const added = tools.filter(({ name }) => !harmless.includes(name));
    expect(added.map(({ name }) => name)).toEqual([
      "provider-c_downloadIpid",
      "provider-d_createApplication",
      "submission_status",
      "provider_status",
    ]);
    expect(added.map(({ annotations }) => annotations?.readOnlyHint)).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect(added[1]?.annotations).toMatchObject({ destructiveHint: true, idempotentHint: true });
    expect(added[1]?.description).toContain("CREATES OR CHANGES");
  });

  it("the tool `provider_status` reports the availability of one or all insurers", async () => {
    const mcp = await start();
    expect(contentOf(await mcp.call("provider_status", {}))).toMatchObject({
      items: expect.arrayContaining([
        { segment: "provider-d", provider: "provider-d", state: "up", maintenance: [] },
      ]),
    });
    const one = contentOf(await mcp.call("provider_status", { segment: SEGMENT_OF_B }));
    expect(one).toMatchObject({ provider: "provider-b", days: expect.any(Array) });
    const none = contentOf(await mcp.call("provider_status", { segment: "none" }));
    expect(none).toMatchObject({ code: "NOT_FOUND" });
    expect(contentOf(await mcp.call("provider_status", { segment: "" }))).toMatchObject({
      code: "REQUEST_INVALID",
    });
  });
});

describe("answers", () => {
  const query = { clientAfm: "123456789", limit: 5 };
  const quote = { personDob: "1985-06-15", monthlyContribution: 100, durationYears: 20 };
  it.each<[string, object, string, object?]>([
    ["provider-a_listBrands", {}, "/provider-a/auto/brands"],
    // The path segment of provider-b differs from the provider's id.
    ["provider-b_listCountries", {}, `/${SEGMENT_OF_B}/countries`],
    [
      "provider-d_searchApplications",
      { query },
      "/provider-d/applications/search?clientAfm=123456789&start=1&limit=5",
    ],
    [
      "provider-e_calculatePensionQuote",
      { body: quote },
      "/provider-e/life/core/fast-pension-quote",
      quote,
    ],
  ])("the answer of the tool %s is the gateway's answer", async (tool, given, path, body) => {
    const mcp = await start(["--segment", `provider-b=${SEGMENT_OF_B}`]);
    const answer = await fetched(path, body);
    expect(answer.status).toBe(200);
    expect(contentOf(await mcp.call(tool, given))).toEqual(await answer.json());
  });

  it("the answer of a tool for a document contains the whole PDF", async () => {
    const mcp = await start(["--allow", "document"]);
    const query = { applicationId: "C-0001" };
    const { content, structuredContent } = await mcp.call("provider-c_downloadIpid", { query });
    const [, embedded] = content;
    if (embedded?.type !== "resource" || !("blob" in embedded.resource))
      throw new TypeError("There is no document");
    expect(embedded.resource.mimeType).toBe("application/pdf");
    expect(embedded.resource.uri).not.toContain("C-0001");
    const file = await fetched("/provider-c/application/ipid?applicationId=C-0001");
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(Buffer.from(embedded.resource.blob, "base64").equals(bytes)).toBe(true);
    expect(structuredContent).toEqual({
      fileName: "ipid.pdf",
      mediaType: "application/pdf",
      bytes: bytes.length,
    });
  });
});

describe("failed calls", () => {
  it("the answer to a failed tool call contains the outcome, the next step and the gateway's request id", async () => {
    const mcp = await start(["--allow", "document"]);
    const result = await mcp.call("provider-c_downloadIpid", {
      query: { applicationId: "C-9999" },
    });
    expect(result.isError).toBe(true);
    const content = contentOf(result);
    expect(content).toMatchObject({
      code: "APPLICATION_NOT_FOUND",
      outcome: "rejected",
      retry: "never",
      next: expect.stringContaining("check the identifier"),
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const [line] = (await mcp.log()).split("\n").filter((text) => text.includes('"failed"'));
    expect(JSON.parse(line ?? "")).toMatchObject({
      tool: "provider-c_downloadIpid",
      kind: "document",
      code: "APPLICATION_NOT_FOUND",
      status: 404,
      requestId: content.requestId,
    });
  });

  it("the MCP server sends nothing to the gateway for an invalid input, and lists every fault without the faulty value", async () => {
    const relay = await startRelay(gateway.address);
    const mcp = await start([], relay);
    const given = { query: { clientAfm: "12345678X", limit: 101 }, body: { secret: "Ελένη" } };
    const result = await mcp.call("provider-d_searchApplications", given);
    expect(result.isError).toBe(true);
    const content = contentOf(result);
    expect(content).toMatchObject({ code: "REQUEST_INVALID", outcome: "not_sent", retry: "never" });
    expect(content.errors).toEqual([
      { pointer: "/query/clientAfm", code: "FORMAT", message: "must be 9 digits" },
      { pointer: "/query/limit", code: "RANGE", message: "must be 100 or less" },
      { pointer: "", code: "UNKNOWN_FIELD", message: "is not an accepted field" },
    ]);
    expect(JSON.stringify(result)).not.toMatch(/12345678X|Ελένη/);
    expect(relay.sent).toEqual([]);
  });

  it("a call of a tool that is not offered is a protocol error", async () => {
    const mcp = await start();
    await expect(mcp.call("provider-d_createApplication")).rejects.toThrow("Unknown tool");
  });
});

describe("cancelled calls", () => {
  it("the MCP server aborts its request to the gateway when the client cancels a read-only tool call", async () => {
    const relay = await startRelay(gateway.address);
    const mcp = await start([], relay);
    const cancel = new AbortController();
    const held = relay.hold();
    const call = mcp.call("provider-a_listBrands", {}, cancel.signal);
    const { release, sent } = await held;
    cancel.abort();
    await expect(call).rejects.toThrow();
    expect(await sent.over).toBe("given up");
    release();
    expect(contentOf(await mcp.call("provider-a_listBrands"))).toHaveProperty("items");
  });
});
