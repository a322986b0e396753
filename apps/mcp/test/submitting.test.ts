import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { confirmingReply } from "./harness/applications.ts";
import { connect, type InProcessOptions } from "./harness/in-process.ts";
import { providerX } from "./harness/provider-x.ts";
import { startSimulatedGateway } from "./harness/simulated-gateway.ts";

const TOOL = "provider-x_orderThing";
const REQUEST = "2c61561a-6cf3-40f7-9306-326226775525";
const given = {
  params: { shelf: 7 },
  body: { name: "Ελένη", born: "1985-06-15", cars: ["ΙΚΥ-1", "ΙΚΥ-2"] },
  idempotencyKey: "K-1",
};
const lines = [
  "/params/shelf: 7",
  '/body/name: "Ελένη"',
  '/body/born: "1985-06-15"',
  '/body/cars/0: "ΙΚΥ-1"',
  '/body/cars/1: "ΙΚΥ-2"',
];
const described = "The X (provider-x: orderThing, POST /shelves/{shelf}/orders)";

/** Starts a server whose insurer accepts every order, and its client. */
async function ordering(
  serving: Partial<InProcessOptions> = {},
  headers: Record<string, string> = {},
) {
  const arrivals: string[] = [];
  const logged: (readonly unknown[])[] = [];
  const gateway = await startSimulatedGateway((request, response) => {
    arrivals.push(`${request.method} ${request.url} ${String(request.headers["idempotency-key"])}`);
    request.resume().once("end", () => {
      const all = { "content-type": "application/json", "x-request-id": REQUEST, ...headers };
      response.writeHead(201, all).end('{"id":"T-1"}');
    });
  });
  const client = await connect({
    provider: providerX,
    gateway,
    log: (...line) => void logged.push(line),
    ...serving,
  });
  // Every tool answers with a result of this type.
  const call = async (more: object = {}): Promise<CallToolResult> =>
    (await client.callTool({ name: TOOL, arguments: { ...given, ...more } })) as CallToolResult;
  return { arrivals, call, client, logged };
}

const sent = 'POST /provider-x/shelves/7/orders "K-1";generated';
const line = (level: string, message: string, fields: object): readonly unknown[] => [
  level,
  message,
  { tool: TOOL, kind: "submission", ...fields, milliseconds: expect.any(Number) },
];

/** Returns the expected content of the answer if a call sent nothing and the server does not know the key. */
const refusal = (code: string, retry: string, why: string, next: string): object => ({
  code,
  outcome: "unknown",
  retry,
  message: `${why}. This submission was not sent now. This server does not know whether an earlier call with this idempotencyKey was sent.`,
  next: `${next} If you sent this idempotencyKey in an earlier call, call this tool again with the input and the idempotencyKey of that call to find out what happened: the same key never takes effect twice. A new idempotencyKey could create a second submission.`,
  requestId: null,
  errors: [],
});

describe("submissions that a person confirms", () => {
  it("the MCP server sends a submission after a person has seen every value and confirmed, and returns the gateway's answer", async () => {
    const questions: string[] = [];
    const forms: object[] = [];
    const person = async (question: string, form: object): Promise<typeof confirmingReply> => {
      questions.push(question);
      forms.push(form);
      return confirmingReply;
    };
    const { arrivals, call, logged } = await ordering({ person });
    expect(await call()).toEqual({
      content: [{ type: "text", text: '{"id":"T-1"}' }],
      structuredContent: { id: "T-1" },
      _meta: { requestId: REQUEST },
    });
    expect(questions).toEqual([
      [`Send this to ${described}? It creates or changes something at the insurer.`, ...lines].join(
        "\n",
      ),
    ]);
    expect(forms).toEqual([
      {
        type: "object",
        properties: {
          confirmed: { type: "boolean", title: "Send it to the insurer", default: false },
        },
        required: ["confirmed"],
      },
    ]);
    expect(await call()).toMatchObject({ structuredContent: { id: "T-1" } });
    expect([questions.length, arrivals]).toEqual([1, [sent, sent]]);
    const answered = line("info", "answered", { status: 201, requestId: REQUEST });
    expect(logged).toEqual([answered, answered]);
  });

  it("the MCP server marks an answer that the gateway replays, and neither returns nor logs the gateway's invalid request id", async () => {
    const headers = { "idempotency-replayed": "true", "x-request-id": "Ελένη?".slice(5) };
    const { call, logged } = await ordering({ person: async () => confirmingReply }, headers);
    const { _meta: meta } = await call();
    expect(meta).toEqual({ requestId: null, idempotencyReplayed: true });
    expect(logged).toEqual([line("info", "answered", { status: 201, requestId: undefined })]);
  });

  it.each([
    ["declines", { action: "decline" }],
    ["cancels", { action: "cancel" }],
    ["leaves the box unticked in", { action: "accept", content: { confirmed: false } }],
    ["accepts without the form of", { action: "accept" }],
  ] as const)(
    "the MCP server sends no submission if the person %s the question",
    async (_, reply) => {
      const { arrivals, call, logged } = await ordering({ person: async () => reply });
      expect(await call()).toMatchObject({
        isError: true,
        structuredContent: refusal(
          "NOT_CONFIRMED",
          "after_check",
          "The person did not confirm the submission",
          "Do not call this tool again unless the person wants the submission.",
        ),
      });
      expect(arrivals).toEqual([]);
      expect(logged).toEqual([
        line("warn", "not confirmed", { code: "NOT_CONFIRMED", outcome: "unknown" }),
      ]);
    },
  );

  it("the MCP server sends no submission if the question to a person fails", async () => {
    const { arrivals, call } = await ordering({ person: () => Promise.reject(new Error("away")) });
    expect((await call()).structuredContent).toEqual(
      refusal(
        "NOT_CONFIRMED",
        "same_key",
        "Nobody confirmed the submission: the question did not reach a person, or was not answered in time",
        "Call this tool again with the same idempotencyKey when a person can answer.",
      ),
    );
    expect(arrivals).toEqual([]);
  });

  it("the MCP server sends no submission if the client cannot ask a person and the server may not use confirmation codes", async () => {
    const { arrivals, call } = await ordering();
    expect((await call()).structuredContent).toEqual(
      refusal(
        "CONFIRMATION_UNAVAILABLE",
        "after_check",
        "A person must confirm the submission, and this MCP client cannot ask a person (it does not support elicitation)",
        "Tell the person: submissions need an MCP client with elicitation, or this server started with --confirm code.",
      ),
    );
    expect(arrivals).toEqual([]);
  });

  it("the MCP server refuses a submission with more than 50 values and asks no person to confirm the submission", async () => {
    let asked = 0;
    const person = async (): Promise<typeof confirmingReply> => {
      asked += 1;
      return confirmingReply;
    };
    const { arrivals, call } = await ordering({ person });
    const cars = Array.from({ length: 48 }, (_, index) => `ΙΚΥ-${index}`);
    const long = await call({ body: { ...given.body, cars } });
    expect(long.structuredContent).toEqual(
      refusal(
        "CONFIRMATION_TOO_LONG",
        "after_check",
        "The submission has more than 50 values or 10000 characters, too many for a person to check",
        "Submit it with another program, such as an application of the gateway's client.",
      ),
    );
    expect([asked, arrivals]).toEqual([0, []]);
    await call({ body: { ...given.body, cars: cars.slice(1) } });
    expect([asked, arrivals.length]).toEqual([1, 1]);
  });
});

describe("submissions that a code confirms", () => {
  it("a tool call for a submission returns a confirmation code, and a second call with this code and input sends the submission", async () => {
    const { arrivals, call, logged } = await ordering({ confirm: "code" });
    const first = await call();
    const { confirmation } = first.structuredContent ?? {};
    expect(confirmation).toMatch(/^[0-9a-f]{32}$/);
    expect(first).toEqual({
      content: [{ type: "text", text: JSON.stringify(first.structuredContent) }],
      structuredContent: {
        sent: false,
        message: `This call sent nothing. ${described} would receive the values below.`,
        next: "Show the complete wouldSend to the person for whom you submit. Only when they agree, call this tool again with the same input, the same idempotencyKey and this confirmation.",
        confirmation,
        expiresInSeconds: 600,
        wouldSend: lines,
      },
    });
    const wrong = refusal(
      "CONFIRMATION_INVALID",
      "same_key",
      "The confirmation does not belong to this input and idempotencyKey, or is older than ten minutes",
      "Call this tool without `confirmation`, with the same idempotencyKey, to get a new one, and show a person again what would be sent.",
    );
    for (const more of [
      { confirmation: "none" },
      { confirmation, params: { shelf: 8 } },
      { confirmation, idempotencyKey: "K-2" },
    ])
      expect((await call(more)).structuredContent).toEqual(wrong);
    expect(arrivals).toEqual([]);
    expect((await call({ confirmation })).structuredContent).toEqual({ id: "T-1" });
    expect((await call()).structuredContent).toEqual({ id: "T-1" });
    expect(arrivals).toEqual([sent, sent]);
    // This call has the same key with another input, and the first submission may have been carried out.
    expect((await call({ params: { shelf: 8 }, confirmation })).structuredContent).toMatchObject({
      code: "CONFIRMATION_INVALID",
      retry: "same_key",
      message:
        "The confirmation does not belong to this input and idempotencyKey, or is older than ten minutes. This submission was not sent now; an earlier one with this idempotencyKey may have been carried out.",
      next: "To find out what happened to the earlier submission, call this tool again with its input and this idempotencyKey: the same key never takes effect twice. A new idempotencyKey could create a second submission.",
    });
    expect(logged[0]).toEqual(line("info", "awaits confirmation", {}));
  });

  it("the MCP server asks a person to confirm a submission, and returns no confirmation code, if the client can ask a person", async () => {
    const { arrivals, call } = await ordering({
      confirm: "code",
      person: async () => confirmingReply,
    });
    expect((await call()).structuredContent).toEqual({ id: "T-1" });
    expect(arrivals).toEqual([sent]);
    const withCode = await call({ confirmation: "none" });
    expect(withCode.structuredContent).toMatchObject({
      code: "REQUEST_INVALID",
      errors: [{ pointer: "/confirmation", code: "UNKNOWN_FIELD" }],
    });
  });
});
