import { readFileSync } from "node:fs";
import type { GatewayOptions } from "@insurance-gateway/core";
import { type Transport, TransportError } from "@insurance-gateway/core/transport";
import { providerD } from "@insurance-gateway/provider-d";
import type { ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { application, confirmingReply, TOOL } from "./harness/applications.ts";
import { connect } from "./harness/in-process.ts";
import { startSimulatedGateway } from "./harness/simulated-gateway.ts";

/** A call that is refused before it is sent. */
interface UnsentCall {
  readonly code: string;
  readonly retry: string;
  readonly person?: () => Promise<ElicitResult>;
  readonly input?: object;
  readonly options?: Partial<GatewayOptions>;
}

const agree = (): Promise<ElicitResult> => Promise.resolve(confirmingReply);

function unconnected(
  reason: TransportError["reason"],
  phase: TransportError["phase"] = "connect",
  detail: string | null = null,
): Transport {
  return {
    send: () => Promise.reject(new TransportError(phase, reason, detail)),
    close: () => Promise.resolve(),
  };
}

/** For each row of docs/errors.md, an input or an option with which a call fails before it is sent. */
const documented: Readonly<Record<string, Pick<UnsentCall, "input" | "options">>> = {
  "does not match the declaration": { input: { body: {} } },
  "has no token now": { options: { token: () => Promise.reject(new Error("none")) } },
  "has a malformed token": { options: { token: "two words" } },
  "gets no connection to the gateway": { options: { transport: unconnected("failed") } },
  "does not accept the gateway's certificate, or is refused by a proxy": {
    options: { transport: unconnected("failed", "tls", "CERT_HAS_EXPIRED") },
  },
  "gets no connection in time": { options: { transport: unconnected("timeout") } },
  "is cancelled before it is sent": { options: { transport: unconnected("cancelled") } },
};

/** Returns the rows of docs/errors.md about calls that the client does not send. */
function documentedRows(): readonly (readonly string[])[] {
  const text = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
  const [, after = ""] = text.split("| key given by you |\n");
  const [table = ""] = after.split("\n\n");
  const rows = table.split("\n").slice(1);
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim().replaceAll("`", "")),
  );
}

it("the table in docs/errors.md lists every way in which a tool call can fail before the gateway receives the call", () => {
  expect(documentedRows().map(([, way]) => way)).toEqual(Object.keys(documented));
});

const unsent: readonly (readonly [name: string, UnsentCall])[] = [
  ...documentedRows().map(([code = "", way = "", , given = ""]): readonly [string, UnsentCall] => [
    `that ${way}`,
    { code, retry: given.replace("unknown, ", ""), person: agree, ...documented[way] },
  ]),
  [
    "that the person declines",
    {
      code: "NOT_CONFIRMED",
      retry: "after_check",
      person: () => Promise.resolve({ action: "decline" }),
    },
  ],
  [
    "whose question does not reach a person",
    {
      code: "NOT_CONFIRMED",
      retry: "same_key",
      person: () => Promise.reject(new Error("no screen")),
    },
  ],
  ["that no person can confirm", { code: "CONFIRMATION_UNAVAILABLE", retry: "after_check" }],
];

describe.each(unsent)("a submission %s", (_, { code, input, options, person, retry }) => {
  it("the outcome of an unsent submission is `unknown`, because an earlier MCP server may have sent the same idempotency key", async () => {
    const given = application("123456789");
    const gateway = await startSimulatedGateway((request) => request.socket.destroy());
    const before = await connect({ provider: providerD, gateway, person: agree });
    const lost = await before.callTool({ name: TOOL, arguments: given });
    expect(lost.structuredContent).toMatchObject({
      outcome: "unknown",
      message: expect.stringContaining("may have been sent, and it is unknown"),
    });

    const after = await connect({
      provider: providerD,
      ...(person === undefined ? {} : { person }),
      ...(options === undefined ? {} : { options }),
    });
    const answer = await after.callTool({ name: TOOL, arguments: { ...given, ...input } });
    expect(answer.structuredContent).toMatchObject({
      code,
      outcome: "unknown",
      retry,
      message: expect.stringContaining(
        "This server does not know whether an earlier call with this idempotencyKey was sent.",
      ),
      next: expect.stringContaining("A new idempotencyKey could create a second submission"),
    });
  });
});

describe("refused submissions", () => {
  it("a refused submission without an idempotency key has the outcome `not_sent`", async () => {
    const { idempotencyKey: _, ...given } = application("123456789");
    const client = await connect({ provider: providerD, person: agree });
    const answer = await client.callTool({ name: TOOL, arguments: given });
    expect(answer.structuredContent).toMatchObject({
      code: "REQUEST_INVALID",
      outcome: "not_sent",
      retry: "never",
    });
  });

  it("an invalid submission has the outcome `not_sent` if the gateway has no submission with the same idempotency key", async () => {
    const asked: string[] = [];
    const gateway = await startSimulatedGateway((request, response) => {
      asked.push(`${request.method} ${String(request.headers["idempotency-key"])}`);
      const facts = { status: 404, code: "SUBMISSION_NOT_FOUND", outcome: "not_sent" };
      const texts = { type: "", title: "", detail: "", requestId: "", provider: null };
      response.writeHead(404, { "content-type": "application/problem+json" });
      response.end(JSON.stringify({ ...facts, ...texts, retry: "never" }));
    });
    const client = await connect({ provider: providerD, gateway, person: agree });
    const given = { ...application("123456789"), body: {} };
    const answer = await client.callTool({ name: TOOL, arguments: given });
    expect(answer.structuredContent).toMatchObject({
      code: "REQUEST_INVALID",
      outcome: "not_sent",
      retry: "never",
    });
    expect(asked).toEqual([`GET "${given.idempotencyKey}"`]);
  });

  it("a submission has the outcome `unknown` if the first answer was lost and the gateway refused the retry", async () => {
    const refused = { status: 401, code: "UNAUTHENTICATED", provider: null, retry: "never" };
    const lost = {
      status: 504,
      code: "OUTCOME_UNKNOWN",
      provider: "provider-d",
      retry: "same_key",
    };
    const answers = [lost, refused];
    const gateway = await startSimulatedGateway((request, response) => {
      request.resume().once("end", () => {
        const { status, ...problem } = answers.shift() ?? refused;
        response.writeHead(status, {
          "content-type": "application/problem+json",
          ...(status === 504 ? { "retry-after": "0" } : {}),
        });
        const more = {
          type: "about:blank",
          title: "",
          detail: "",
          requestId: "1",
          outcome: "unknown",
        };
        response.end(JSON.stringify({ status, ...more, ...problem }));
      });
    });
    const client = await connect({ provider: providerD, gateway, person: agree });
    const answer = await client.callTool({ name: TOOL, arguments: application("123456789") });
    expect(answers).toEqual([]);
    expect(answer.structuredContent).toMatchObject({ outcome: "unknown" });
    expect(JSON.stringify(answer.structuredContent)).not.toContain("not sent now");
  });
});
