import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  application,
  codeFor,
  found,
  NAME,
  newAfm,
  startApplying,
  TOOL,
  ticked,
} from "./harness/applications.ts";
import { startGateway, type TestGateway } from "./harness/gateways.ts";
import { contentOf, type Start } from "./harness/mcp-process.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const start = (person?: Start["person"]): ReturnType<typeof startApplying> =>
  startApplying(gateway, person === undefined ? undefined : { person });

describe("a submission that the model may confirm", () => {
  it("is sent by a second call with the same input, key and code, in whatever order the fields are", async () => {
    const mcp = await start();
    const afm = newAfm();
    const { body, idempotencyKey } = application(afm);
    const { confirmation } = contentOf(await mcp.call(TOOL, { body, idempotencyKey }));
    const reversed = Object.fromEntries(Object.entries(body).toReversed());
    const again = { confirmation, idempotencyKey, body: reversed };
    const application1 = contentOf(await mcp.call(TOOL, again));
    expect(application1).toMatchObject({ status: "RECEIVED", holder: { afm, fullName: NAME } });
    expect(await found(gateway, afm)).toEqual([application1]);
    expect(mcp.relay.sent.map(({ key }) => key)).toEqual([`"${idempotencyKey}";generated`]);
  });

  it("goes again with the same code, when the client lost its answer, and gets that answer", async () => {
    const mcp = await start();
    const afm = newAfm();
    const given = application(afm);
    const confirmation = await codeFor(mcp, given);
    const cancel = new AbortController();
    const held = mcp.relay.hold();
    const lost = mcp.call(TOOL, { ...given, confirmation }, cancel.signal);
    const { letGo, sent } = await held;
    cancel.abort();
    await expect(lost).rejects.toThrow();
    letGo();
    await sent.over;
    const again = await mcp.call(TOOL, { ...given, confirmation });
    const { _meta: meta } = again;
    expect(meta?.idempotencyReplayed).toBe(true);
    expect(await found(gateway, afm)).toEqual([contentOf(again)]);
  });

  it("is checked before there is a code, its key with it", async () => {
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

describe("a submission where a person can be asked", () => {
  it("is sent when the person ticks the box, having seen who gets what, whole", async () => {
    const mcp = await start(() => ticked);
    const afm = newAfm();
    const answer = contentOf(await mcp.call(TOOL, application(afm)));
    expect(await found(gateway, afm)).toEqual([answer]);
    const [question = ""] = mcp.questions;
    expect(question).toContain("Provider D (provider-d: createApplication, POST /applications)");
    expect(question.split("\n").slice(1)).toContain(`/body/holder/afm: "${afm}"`);
    expect(question).toContain(`/body/holder/fullName: "${NAME}"`);
    const [tool] = (await mcp.client.listTools()).tools.filter(({ name }) => name === TOOL);
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(["body", "idempotencyKey"]);
  });

  it("is never said to be not sent when the gateway or the declaration refuses another input", async () => {
    const mcp = await start(() => ticked);
    const given = application(newAfm());
    await mcp.call(TOOL, given);
    const next = expect.stringContaining("A new idempotencyKey could submit it twice");
    const refused = { outcome: "unknown", retry: "after_check", next };
    const { body } = application("987654321");
    const reused = await mcp.call(TOOL, { ...given, body });
    expect(contentOf(reused)).toMatchObject({ ...refused, code: "IDEMPOTENCY_KEY_REUSED" });
    const invalid = await mcp.call(TOOL, { ...given, body: {} });
    expect(contentOf(invalid)).toMatchObject({ ...refused, code: "REQUEST_INVALID" });
  });

  it("is not sent when it is cancelled while the person thinks, who is not asked any more", async () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const answer = Promise.withResolvers<void>();
    const mcp = await start(async (_, withdrawn) => {
      asked.resolve(withdrawn);
      await answer.promise;
      return ticked;
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
