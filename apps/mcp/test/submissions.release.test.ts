import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  application,
  applicationsOf,
  codeFor,
  confirmingReply,
  NAME,
  newAfm,
  startApplying,
  TOOL,
} from "./harness/applications.ts";
import { startGateway, type TestGateway } from "./harness/gateways.ts";
import { contentOf, type McpStartOptions } from "./harness/mcp-process.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const start = (person?: McpStartOptions["person"]): ReturnType<typeof startApplying> =>
  startApplying(gateway, person === undefined ? undefined : { person });

describe("submissions that a code confirms", () => {
  it("a tool call with an earlier call's confirmation code, input and key sends the submission, even if the fields' order differs", async () => {
    const mcp = await start();
    const afm = newAfm();
    const { body, idempotencyKey } = application(afm);
    const { confirmation } = contentOf(await mcp.call(TOOL, { body, idempotencyKey }));
    const reversed = Object.fromEntries(Object.entries(body).toReversed());
    const again = { confirmation, idempotencyKey, body: reversed };
    const application1 = contentOf(await mcp.call(TOOL, again));
    expect(application1).toMatchObject({ status: "RECEIVED", holder: { afm, fullName: NAME } });
    expect(await applicationsOf(gateway, afm)).toEqual([application1]);
    expect(mcp.relay.sent.map(({ key }) => key)).toEqual([`"${idempotencyKey}";generated`]);
  });

  it("a repeated tool call with the same confirmation code returns the answer that the client missed after the first call", async () => {
    const mcp = await start();
    const afm = newAfm();
    const given = application(afm);
    const confirmation = await codeFor(mcp, given);
    const cancel = new AbortController();
    const held = mcp.relay.hold();
    const lost = mcp.call(TOOL, { ...given, confirmation }, cancel.signal);
    const { release, sent } = await held;
    cancel.abort();
    await expect(lost).rejects.toThrow();
    release();
    await sent.over;
    const again = await mcp.call(TOOL, { ...given, confirmation });
    const { _meta: meta } = again;
    expect(meta?.idempotencyReplayed).toBe(true);
    expect(await applicationsOf(gateway, afm)).toEqual([contentOf(again)]);
  });

  it("the MCP server validates the input and the idempotency key before it returns a confirmation code", async () => {
    const mcp = await start();
    const { body } = application("12345678X");
    const content = contentOf(await mcp.call(TOOL, { body, idempotencyKey: "a key" }));
    expect(content).toMatchObject({ code: "REQUEST_INVALID", outcome: "not_sent" });
    expect(content.errors).toMatchObject([
      { pointer: "/holder/afm", code: "FORMAT" },
      { pointer: "/idempotencyKey" },
    ]);
    expect(content).not.toHaveProperty("confirmation");
  });
});

describe("submissions that a person confirms", () => {
  it("the MCP server sends a submission after a person has ticked the box of a question that shows the insurer and all values", async () => {
    const mcp = await start(() => confirmingReply);
    const afm = newAfm();
    const answer = contentOf(await mcp.call(TOOL, application(afm)));
    expect(await applicationsOf(gateway, afm)).toEqual([answer]);
    const [question = ""] = mcp.questions;
    expect(question).toContain("Provider D (provider-d: createApplication, POST /applications)");
    expect(question.split("\n").slice(1)).toContain(`/body/holder/afm: "${afm}"`);
    expect(question).toContain(`/body/holder/fullName: "${NAME}"`);
    const [tool] = (await mcp.client.listTools()).tools.filter(({ name }) => name === TOOL);
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(["body", "idempotencyKey"]);
  });

  it("a refused tool call has the outcome `unknown` if the call's idempotency key was sent before with another input", async () => {
    const mcp = await start(() => confirmingReply);
    const given = application(newAfm());
    await mcp.call(TOOL, given);
    const next = expect.stringContaining("A new idempotencyKey could create a second submission");
    const refused = { outcome: "unknown", retry: "after_check", next };
    const { body } = application("987654321");
    const reused = await mcp.call(TOOL, { ...given, body });
    expect(contentOf(reused)).toMatchObject({ ...refused, code: "IDEMPOTENCY_KEY_REUSED" });
    const invalid = await mcp.call(TOOL, { ...given, body: {} });
    expect(contentOf(invalid)).toMatchObject({ ...refused, code: "REQUEST_INVALID" });
  });

  it("the MCP server withdraws its question to a person and sends no submission if the client cancels the tool call", async () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const answer = Promise.withResolvers<void>();
    const mcp = await start(async (_, withdrawn) => {
      asked.resolve(withdrawn);
      await answer.promise;
      return confirmingReply;
    });
    const cancel = new AbortController();
    const call = mcp.call(TOOL, application("123456789"), cancel.signal);
    const withdrawn = await asked.promise;
    cancel.abort();
    await expect(call).rejects.toThrow();
    if (!withdrawn.aborted) await once(withdrawn, "abort");
    answer.resolve();
    await mcp.client.ping();
    expect(await mcp.log()).toContain('"not confirmed"');
    expect(mcp.relay.sent).toEqual([]);
  });
});
