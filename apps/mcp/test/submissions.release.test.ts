import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  application,
  codeFor,
  confirmed,
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

describe("a submission where nobody can be asked", () => {
  it("is refused, and the tool says so, unless --confirm code lets the model confirm", async () => {
    const mcp = await startApplying(gateway, {});
    const [tool] = (await mcp.client.listTools()).tools.filter(({ name }) => name === TOOL);
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(["body", "idempotencyKey"]);
    expect(tool?.description).toContain("sends nothing in this session");
    const result = await mcp.call(TOOL, application("123456789"));
    expect(result.isError).toBe(true);
    expect(contentOf(result)).toMatchObject({
      code: "CONFIRMATION_UNAVAILABLE",
      outcome: "unknown",
      retry: "after_check",
      next: expect.stringContaining("--confirm code"),
    });
    expect(mcp.client.getInstructions()).toContain("This server asks the person");
    expect(mcp.relay.sent).toEqual([]);
  });
});

describe("a submission that the model may confirm", () => {
  it("says that nothing proves that a person agreed", async () => {
    const mcp = await start();
    const [tool] = (await mcp.client.listTools()).tools.filter(({ name }) => name === TOOL);
    expect(tool?.description).toContain("cannot see whether a person agreed");
    expect(mcp.client.getInstructions()).toContain("by a second call with a code");
  });

  it("is not sent by the first call, which shows what would be sent, whole, and a code", async () => {
    const mcp = await start();
    const result = await mcp.call(TOOL, application("123456789"));
    const content = contentOf(result);
    expect(result.isError).not.toBe(true);
    expect(content).toMatchObject({ sent: false, expiresInSeconds: 600 });
    expect(content.wouldSend).toEqual([
      '/body/policy/startDate: "2026-12-01"',
      '/body/policy/endDate: "2027-12-01"',
      '/body/vehicle/plateNumber: "ΙΚΥ-1234"',
      '/body/vehicle/manufacturerCode: "TOY"',
      '/body/vehicle/modelCode: "YARIS"',
      '/body/holder/afm: "123456789"',
      '/body/holder/fullName: "Ελένη Παπαδοπούλου"',
    ]);
    expect(mcp.relay.sent).toEqual([]);
  });

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

  it.each<[string, (given: object, confirmation: unknown) => object]>([
    ["another input", (given, confirmation) => ({ ...given, ...swapped, confirmation })],
    ["another key", (given, confirmation) => ({ ...given, idempotencyKey: "K-2", confirmation })],
    ["a code that nobody was given", (given) => ({ ...given, confirmation: "0".repeat(32) })],
  ])("is not sent with %s", async (_, second) => {
    const mcp = await start();
    const given = application("123456789");
    const { confirmation } = contentOf(await mcp.call(TOOL, given));
    const result = await mcp.call(TOOL, second(given, confirmation));
    expect(result.isError).toBe(true);
    expect(contentOf(result)).toMatchObject({
      code: "CONFIRMATION_INVALID",
      outcome: "unknown",
      retry: "same_key",
      next: expect.stringContaining("without `confirmation`"),
    });
    expect(mcp.relay.sent).toEqual([]);
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

  it("goes again with no code, and with one that is none, once it was sent", async () => {
    const mcp = await start();
    const afm = newAfm();
    const given = application(afm);
    const first = contentOf(await confirmed(mcp, given));
    expect(contentOf(await mcp.call(TOOL, given))).toEqual(first);
    expect(contentOf(await mcp.call(TOOL, { ...given, confirmation: "none" }))).toEqual(first);
    expect(await found(gateway, afm)).toHaveLength(1);
  });

  it("is never said to be not sent, with another input under a key that was sent", async () => {
    const mcp = await start();
    const given = application(newAfm());
    await confirmed(mcp, given);
    const other = { ...given, ...swapped, confirmation: "0".repeat(32) };
    expect(contentOf(await mcp.call(TOOL, other))).toMatchObject({
      code: "CONFIRMATION_INVALID",
      ...sentBefore,
    });
    expect(mcp.relay.sent).toHaveLength(1);
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

/** The answer when a key that was sent before is not sent again. */
const sentBefore = {
  outcome: "unknown",
  retry: "same_key",
  message: expect.stringMatching(/not sent again now; the first .* may have been carried out/),
  next: expect.stringContaining("A new idempotencyKey could submit it twice"),
};

const swapped = { body: application("987654321").body };

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

  it.each<[string, Start["person"], RegExp]>([
    ["declines", () => ({ action: "decline" }), /did not confirm/],
    ["closes the form", () => ({ action: "cancel" }), /did not confirm/],
    [
      "leaves the box empty",
      () => ({ action: "accept", content: { confirmed: false } }),
      /did not confirm/,
    ],
    ["sends no form", () => ({ action: "accept" }), /did not confirm/],
    ["cannot be reached", () => Promise.reject(new Error("no screen")), /Nobody confirmed/],
  ])("is not sent when the person %s", async (_, person, words) => {
    const mcp = await start(person);
    const result = await mcp.call(TOOL, application("123456789"));
    expect(result.isError).toBe(true);
    expect(contentOf(result)).toMatchObject({
      code: "NOT_CONFIRMED",
      outcome: "unknown",
      message: expect.stringMatching(words),
    });
    expect(mcp.questions).toHaveLength(1);
    expect(mcp.relay.sent).toEqual([]);
  });

  it("goes again without a question, once it was confirmed and sent", async () => {
    const mcp = await start(() => (mcp.questions.length === 1 ? ticked : { action: "decline" }));
    const given = application(newAfm());
    const first = contentOf(await mcp.call(TOOL, given));
    expect(contentOf(await mcp.call(TOOL, given))).toEqual(first);
    expect(mcp.questions).toHaveLength(1);
    const other = { ...given, ...swapped };
    expect(contentOf(await mcp.call(TOOL, other))).toMatchObject({
      code: "NOT_CONFIRMED",
      ...sentBefore,
    });
    expect(mcp.relay.sent).toHaveLength(2);
  });

  it("is never said to be not sent when the gateway or the declaration refuses another input", async () => {
    const mcp = await start(() => ticked);
    const given = application(newAfm());
    await mcp.call(TOOL, given);
    const refused = { outcome: "unknown", retry: "after_check", next: sentBefore.next };
    const reused = await mcp.call(TOOL, { ...given, ...swapped });
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
