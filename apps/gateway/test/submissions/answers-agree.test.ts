import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createGateway, type GatewayError, type Problem } from "@insurance-gateway/core";
import {
  type Advice,
  advicesOf,
  type ProblemCode,
  problemCodes,
} from "@insurance-gateway/core/problems";
import { createApplication } from "@insurance-gateway/provider-d";
import { specificationRequests } from "@insurance-gateway/specification";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportFailure } from "../../src/command-line/call/call-failure.ts";

const SUBMISSION = "0b0f8f4e-2f53-4a55-9c0a-6a2f0d1c7b11";

let served: Problem;
let server: Server;
let baseUrl: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(served.status, { "content-type": "application/problem+json" });
    response.end(JSON.stringify(served));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on TCP has an address with a port.
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

type Row = readonly [code: ProblemCode, advice: Advice];

/** Everything that a problem can say of a submission. */
const rows: readonly Row[] = Object.keys(problemCodes)
  .filter((code): code is ProblemCode => code in problemCodes)
  .flatMap((code) => advicesOf(code, true).map((advice) => [code, advice] as const));

/** Whether a refusal came before or without a look at the record of the key. */
function isRefusedUnread(code: ProblemCode, { outcome }: Advice): boolean {
  const isRead = code === "INTERNAL_ERROR" || code === "IDEMPOTENCY_KEY_REUSED";
  return outcome === "unknown" && problemCodes[code].outcome === "not_sent" && !isRead;
}

function problemOf([code, advice]: Row): Problem {
  const names =
    isRefusedUnread(code, advice) ||
    advice.outcome === "rejected" ||
    code === "IDEMPOTENCY_KEY_REUSED";
  const unread =
    " The gateway does not know whether an earlier request with this Idempotency-Key was sent.";
  return {
    type: `/reference/errors/${code}`,
    title: problemCodes[code].title,
    status: problemCodes[code].status,
    code,
    detail: `What happened.${isRefusedUnread(code, advice) ? unread : ""}`,
    requestId: "req-1",
    provider: "provider-d",
    ...advice,
    ...(names || (advice.outcome === "not_sent" && advice.retry !== "after_check")
      ? {}
      : { reconciliation: { href: `/submissions/${SUBMISSION}` } }),
  };
}

/** The error of our client when a submission is answered with a row. */
async function errorOf(row: Row, idempotencyKey?: string): Promise<GatewayError> {
  served = problemOf(row);
  const { body } = Object(specificationRequests().find(({ number }) => number === 4));
  const client = createGateway({ baseUrl, token: "t" });
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  const call = client.call(createApplication, { body, ...key });
  return call.then(
    () => expect.fail("It succeeded"),
    (error: GatewayError) => error,
  );
}

/** What the command line says to do. */
function commandLineAdvice(error: GatewayError): string {
  const call = {
    flags: [],
    again: (key: string) => `AGAIN ${key}`,
    ask: (submissionId: string) => `ASK ${submissionId}`,
  };
  const { text = "" } = reportFailure(error, call, {}) ?? {};
  return /what to do([\s\S]*?)\n {2}request id/.exec(text)?.[1] ?? "";
}

/** What to do, as `docs/errors.md` says it: send it again, with the same key, ask first, or leave it. */
const commandLineSays: Readonly<Record<string, RegExp>> = {
  "not_sent safe": /^\s*run it again/,
  "not_sent never": /correct it; the same request would fail again/,
  "not_sent after_check": new RegExp(`ask the gateway.*\\s+ASK ${SUBMISSION}`),
  "rejected safe": /^\s*run it again/,
  "rejected never": /correct it; the same request would fail again/,
  "unknown same_key": /send it again with the same key.*\s+AGAIN k-1/,
  "unknown after_check": new RegExp(
    `ASK ${SUBMISSION}\\s+or find out why, then send it again with the same key`,
  ),
  "unknown never": /^\s*find out why, then send it again with the same key.*\s+AGAIN k-1/,
  "executed never": /never send it again/,
};

describe.each(rows)("%s, %o", (code, advice) => {
  const { outcome, retry } = advice;

  it("is the same to our client and to the command line", async () => {
    const error = await errorOf([code, advice], "k-1");
    expect(error.outcome).toBe(outcome);
    expect(error.retry).toBe(outcome === "unknown" && retry === "never" ? "after_check" : retry);
    expect(commandLineAdvice(error)).toMatch(commandLineSays[`${outcome} ${retry}`] ?? /^$/);
  });

  it("is not sent for our client that made the key, unless the record was read", async () => {
    const error = await errorOf([code, advice]);
    const isUnread = isRefusedUnread(code, advice);
    expect(error.outcome).toBe(isUnread ? "not_sent" : outcome);
    if (!isUnread) return;
    expect(error.retry).toBe(retry === "never" ? "never" : "safe");
    expect(error.message).toMatch(/What happened\.$/);
  });
});
