import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  application,
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
  startApplying(gateway, person);

describe("a submission where nobody can be asked", () => {
  it("is not sent by the first call, which shows what would be sent, masked, and a code", async () => {
    const mcp = await start();
    const result = await mcp.call(TOOL, application("123456789"));
    const content = contentOf(result);
    expect(result.isError).not.toBe(true);
    expect(content).toMatchObject({ sent: false, expiresInSeconds: 600 });
    expect(content.wouldSend).toEqual({
      "/body/policy/startDate": "2••••••••",
      "/body/policy/endDate": "2••••••••",
      "/body/vehicle/plateNumber": "Ι•••••••",
      "/body/vehicle/manufacturerCode": "T••",
      "/body/vehicle/modelCode": "Y••••",
      "/body/holder/afm": "1••••••••",
      "/body/holder/fullName": "Ε••••••••",
    });
    expect(JSON.stringify(content)).not.toMatch(/123456789|Ελένη|1234/);
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
    expect(mcp.relay.sent.map(({ key }) => key)).toEqual([idempotencyKey]);
  });

  it.each<[string, (given: object, confirmation: unknown) => object]>([
    ["another input", (given, confirmation) => ({ ...given, ...swapped, confirmation })],
    ["another key", (given, confirmation) => ({ ...given, idempotencyKey: "K-2", confirmation })],
    ["a code that nobody was given", (given) => ({ ...given, confirmation: "0".repeat(32) })],
  ])("is not sent with %s, and the code is used up", async (_, second) => {
    const mcp = await start();
    const given = application("123456789");
    const { confirmation } = contentOf(await mcp.call(TOOL, given));
    const result = await mcp.call(TOOL, second(given, confirmation));
    expect(result.isError).toBe(true);
    expect(contentOf(result)).toMatchObject({
      code: "CONFIRMATION_INVALID",
      outcome: "not_sent",
      next: expect.stringContaining("without `confirmation`"),
    });
    expect(mcp.relay.sent).toEqual([]);
  });

  it("needs a code of its own each time, and the same key gets the same answer, sent once", async () => {
    const mcp = await start();
    const afm = newAfm();
    const given = application(afm);
    const { confirmation } = contentOf(await mcp.call(TOOL, given));
    const first = await mcp.call(TOOL, { ...given, confirmation });
    const reused = contentOf(await mcp.call(TOOL, { ...given, confirmation }));
    expect(reused).toMatchObject({ code: "CONFIRMATION_INVALID", outcome: "not_sent" });
    const second = await confirmed(mcp, given);
    expect(contentOf(second)).toEqual(contentOf(first));
    expect([first, second].map(({ _meta }) => _meta?.idempotencyReplayed)).toEqual([
      undefined,
      true,
    ]);
    expect(await found(gateway, afm)).toHaveLength(1);
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

const swapped = { body: application("987654321").body };

describe("a submission where a person can be asked", () => {
  it("is sent when the person ticks the box, having seen who gets what, masked", async () => {
    const mcp = await start(() => ticked);
    const afm = newAfm();
    const answer = contentOf(await mcp.call(TOOL, application(afm)));
    expect(await found(gateway, afm)).toEqual([answer]);
    const [question = ""] = mcp.questions;
    expect(question).toContain("Provider D (provider-d: createApplication, POST /applications)");
    expect(question).toContain("/body/vehicle/modelCode: Y••••");
    expect(question).not.toMatch(new RegExp(`${afm}|Ελένη|1234`));
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
      outcome: "not_sent",
      message: expect.stringMatching(words),
    });
    expect(mcp.questions).toHaveLength(1);
    expect(mcp.relay.sent).toEqual([]);
  });

  it("is not sent when it is cancelled while the person thinks, who is not asked any more", async () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const answer = Promise.withResolvers<void>();
    const mcp = await start(async (_, withdrawn) => {
      // The SDK's client takes back no request that has the number 0, which is the server's first.
      if (mcp.questions.length === 1) return { action: "decline" };
      asked.resolve(withdrawn);
      await answer.promise;
      return ticked;
    });
    await mcp.call(TOOL, application("123456789"));
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
