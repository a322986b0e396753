import { describe, expect, it } from "vitest";
import { connect } from "./harness/in-process.ts";
import { providerX } from "./harness/provider-x.ts";
import { startSimulatedGateway } from "./harness/simulated-gateway.ts";

const requestId = "2c61561a-6cf3-40f7-9306-326226775525";

describe("the answers of tools", () => {
  it("the MCP server's tools for the state of insurers and submissions return the gateway's answer", async () => {
    const id = "0b0f8f4e-2f53-4a55-9c0a-6a2f0d1c7b11";
    const arrivals: unknown[] = [];
    const submission = {
      submissionId: id,
      provider: "provider-x",
      endpoint: "orderThing",
      state: "succeeded",
      insurerId: null,
      receivedAt: "2026-11-01T00:00:00.000Z",
      updatedAt: "2026-11-01T00:00:01.000Z",
      askAgainAt: null,
      answer: null,
    };
    const at = "2026-11-01T00:00:00.000Z";
    const state = { segment: "x", provider: "provider-x", state: "up", maintenance: [] };
    const [all, one] = [
      { items: [state], at },
      { ...state, days: [{ day: "2026-11-01", availability: null }], at },
    ];
    const bodies: Readonly<Record<string, object>> = {
      [`/submissions/${id}`]: submission,
      "/providers": all,
      "/providers/provider-x/status": one,
    };
    const gateway = await startSimulatedGateway(({ url = "" }, response) => {
      arrivals.push(url);
      const body = bodies[url] ?? {};
      response.writeHead(200, { "content-type": "application/json", "x-request-id": requestId });
      response.end(JSON.stringify(body));
    });
    const logged: unknown[] = [];
    const log = (...line: readonly unknown[]): void => void logged.push(line);
    const client = await connect({ provider: providerX, gateway, log });
    const call = (name: string, given: Record<string, unknown>) =>
      client.callTool({ name, arguments: given });
    expect(await call("submission_status", { submissionId: id })).toEqual({
      content: [{ type: "text", text: JSON.stringify(submission) }],
      structuredContent: submission,
      _meta: { requestId },
    });
    expect((await call("provider_status", {})).structuredContent).toEqual(all);
    const asked = await call("provider_status", { segment: "provider-x" });
    expect(asked.structuredContent).toEqual(one);
    expect(arrivals).toEqual(Object.keys(bodies));
    expect(logged[0]).toEqual([
      "info",
      "answered",
      {
        tool: "submission_status",
        kind: "read",
        status: 200,
        requestId,
        milliseconds: expect.any(Number),
      },
    ]);
    const invalid = await call("submission_status", { submissionId: "7", more: 1 });
    expect(invalid.structuredContent).toMatchObject({
      code: "REQUEST_INVALID",
      outcome: "not_sent",
      retry: "never",
      next: "Correct the fields that `errors` lists, then call this tool again.",
      errors: [{ pointer: "/submissionId", message: "must be a UUID" }, { pointer: "/more" }],
    });
    expect((await call("provider_status", { segment: "" })).structuredContent).toMatchObject({
      errors: [{ pointer: "/segment", message: "must not be empty" }],
    });
  });

  it("the answer of a tool for a search contains the page with its paging data", async () => {
    const page = { items: [{ id: "T-1" }], start: 1, limit: 20, total: 1 };
    const gateway = await startSimulatedGateway((_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(page));
    });
    const client = await connect({ provider: providerX, gateway });
    const given = { query: { name: "x" } };
    expect(await client.callTool({ name: "provider-x_findThings", arguments: given })).toEqual({
      content: [{ type: "text", text: JSON.stringify(page) }],
      structuredContent: page,
      _meta: { requestId: null },
    });
  });

  /** Calls the tool for a document of the given size; returns the answer, the log and the document. */
  async function download(size: number) {
    const pdf = ["%PDF-1.7\n", "x".repeat(size - 15), "%%EOF\n"].join("");
    const gateway = await startSimulatedGateway((_, response) => {
      const head = { "content-type": "application/pdf", "x-request-id": requestId };
      response.writeHead(200, head).end(pdf);
    });
    const logged: (readonly unknown[])[] = [];
    const log = (...line: readonly unknown[]): void => void logged.push(line);
    const client = await connect({ provider: providerX, gateway, log });
    const name = "provider-x_downloadThing";
    const result = await client.callTool({ name, arguments: { query: { id: "secret" } } });
    return { logged, pdf, result };
  }
  const logFields = {
    tool: "provider-x_downloadThing",
    kind: "document",
    status: 200,
    requestId,
    milliseconds: expect.any(Number),
  };
  const MAX_BYTES = 5 * 1024 * 1024;

  it("the answer of a tool for a document contains the document if it has at most 5 MB", async () => {
    const { logged, pdf, result } = await download(MAX_BYTES);
    const facts = { fileName: "thing.pdf", mediaType: "application/pdf", bytes: MAX_BYTES };
    expect(result).toEqual({
      content: [
        { type: "text", text: JSON.stringify(facts) },
        {
          type: "resource",
          resource: {
            uri: expect.stringMatching(
              /^insurance-gateway:\/\/provider-x\/downloadThing\/[0-9a-f-]{36}\/thing\.pdf$/,
            ),
            mimeType: "application/pdf",
            blob: Buffer.from(pdf).toString("base64"),
          },
        },
      ],
      structuredContent: facts,
      _meta: { requestId },
    });
    expect(logged).toEqual([["info", "answered", logFields]]);
  });

  it("a document is too large for a tool's answer if it has more than 5 MB", async () => {
    const { logged, result } = await download(MAX_BYTES + 1);
    const failure = { code: "DOCUMENT_TOO_LARGE", outcome: "rejected" };
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toEqual({
      ...failure,
      retry: "never",
      message:
        "This server refused the document: it is larger than 5 MB, the limit for the answer of a tool.",
      next: "Download the document from the gateway with another program, such as curl.",
      requestId,
      errors: [],
    });
    expect(logged).toEqual([["warn", "failed", { ...logFields, ...failure }]]);
  });
});
