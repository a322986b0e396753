import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createGateway,
  type GatewayError,
  type GatewayOptions,
  type Problem,
} from "@insurance-gateway/core";
import {
  type Advice,
  advicesOf,
  type ProblemCode,
  problemCodes,
} from "@insurance-gateway/core/problems";
import { type Phase, type Transport, TransportError } from "@insurance-gateway/core/transport";
import { createApplication } from "@insurance-gateway/provider-d";
import { specificationRequests } from "@insurance-gateway/specification";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportFailure } from "../harness/command-line.ts";

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

/** Every problem code, with each outcome and advice that the code can have. */
const rows: readonly Row[] = Object.keys(problemCodes)
  .filter((code): code is ProblemCode => code in problemCodes)
  .flatMap((code) => advicesOf(code, true).map((advice) => [code, advice] as const));

/** Reports whether the gateway refused the request before reading the record of the key. */
function isRefusedUnread(code: ProblemCode, { outcome, retry }: Advice): boolean {
  const isRead =
    code === "INTERNAL_ERROR" || code === "IDEMPOTENCY_KEY_REUSED" || retry === "after_check";
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

/** Returns the client's error if the gateway answers a submission with this problem. */
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

/** Returns the command line's advice. */
function commandLineAdvice(error: GatewayError): string {
  const call = {
    flags: [],
    again: (key: string) => `AGAIN ${key}`,
    ask: (submissionId: string) => `ASK ${submissionId}`,
  };
  const { text = "" } = reportFailure(error, call, {}) ?? {};
  return /what to do([\s\S]*?)(\n {2}request id|$)/.exec(text)?.[1] ?? "";
}

/** Expected text of the command line for each outcome and `retry`, as `docs/errors.md` advises. */
const commandLineSays: Readonly<Record<string, RegExp>> = {
  "not_sent safe": /^\s*run the command again/,
  "not_sent never": /correct the request; the same request would fail again/,
  "not_sent after_check": new RegExp(`query the state of the .*\\s+ASK ${SUBMISSION}`),
  "rejected safe": /^\s*run the command again/,
  "rejected never": /correct the request; the same request would fail again/,
  "unknown same_key": /send it again with the same key.*\s+AGAIN k-1/,
  "unknown after_check": new RegExp(
    `ASK ${SUBMISSION}\\s+or find out the cause, then send it again with the same key`,
  ),
  "unknown never": /^\s*find out the cause, then send it again with the same key.*\s+AGAIN k-1/,
  "executed never": /do not send it again/,
};

describe.each(rows)("the problem %s, %o", (code, advice) => {
  const { outcome, retry } = advice;

  it("the client and the command line report the outcome and the advice of the gateway's problem", async () => {
    const error = await errorOf([code, advice], "k-1");
    expect(error.outcome).toBe(outcome);
    expect(error.retry).toBe(outcome === "unknown" && retry === "never" ? "after_check" : retry);
    expect(commandLineAdvice(error)).toMatch(commandLineSays[`${outcome} ${retry}`] ?? /^$/);
  });

  it("the client reports `not_sent` if the client generated the idempotency key and the gateway did not read the key's record", async () => {
    const error = await errorOf([code, advice]);
    const isUnread = isRefusedUnread(code, advice);
    expect(error.outcome).toBe(isUnread ? "not_sent" : outcome);
    if (!isUnread) return;
    expect(error.retry).toBe(retry === "never" ? "never" : "safe");
    expect(error.message).toMatch(
      / This call generated its key, so no earlier call sent this key\.$/,
    );
  });
});

/** Returns the rows of docs/errors.md about calls that the client does not send. */
function documentedUnsent(): readonly (readonly string[])[] {
  const text = readFileSync(new URL("../../../../docs/errors.md", import.meta.url), "utf8");
  const [, after = ""] = text.split(
    "| code | a call that | key made by the client | key given by you |\n",
  );
  const [table = ""] = after.split("\n\n");
  return table
    .split("\n")
    .slice(1)
    .map((row) =>
      row
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim().replaceAll("`", "")),
    );
}

function unconnected(
  reason: "failed" | "timeout",
  phase: Phase = "connect",
  detail: string | null = null,
): Transport {
  return {
    send: () => Promise.reject(new TransportError(phase, reason, detail)),
    close: () => Promise.resolve(),
  };
}

/**
 * For each row of `docs/errors.md` about calls that the client does not send: the failure before the client sends
 * anything.
 */
const unsent: Readonly<
  Record<string, { readonly options?: Partial<GatewayOptions>; readonly input?: object }>
> = {
  "does not match the declaration": { input: { body: {} } },
  "has no token now": { options: { token: () => Promise.reject(new Error("none")) } },
  "has a malformed token": { options: { token: "two words" } },
  "gets no connection to the gateway": { options: { transport: unconnected("failed") } },
  "does not accept the gateway's certificate, or is refused by a proxy": {
    options: { transport: unconnected("failed", "tls", "CERT_HAS_EXPIRED") },
  },
  "gets no connection in time": { options: { transport: unconnected("timeout") } },
  "is cancelled before it is sent": { input: { signal: AbortSignal.abort() } },
};

it("docs/errors.md lists every way in which a call fails before the client sends anything", () => {
  expect(documentedUnsent().map(([, way]) => way)).toEqual(Object.keys(unsent));
});

describe.each(documentedUnsent())("%s: a call that %s", (code, way, made, given) => {
  const failureWith = async (idempotencyKey: string | undefined): Promise<GatewayError> => {
    const { input, options } = unsent[way] ?? {};
    const { body } = Object(specificationRequests().find(({ number }) => number === 4));
    const client = createGateway({ baseUrl, token: "t", ...options });
    return client.call(createApplication, { body, idempotencyKey, ...input }).then(
      () => expect.fail("It succeeded"),
      (error: GatewayError) => error,
    );
  };

  it("the client and the command line report the outcome and the advice that docs/errors.md states", async () => {
    const own = await failureWith(undefined);
    expect([own.code, `${own.outcome}, ${own.retry}`]).toEqual([code, made]);
    const error = await failureWith("k-1");
    expect([error.code, `${error.outcome}, ${error.retry}`]).toEqual([code, given]);
    expect(commandLineAdvice(error)).toMatch(/send it again with the same key.*\s+AGAIN k-1/);
    expect(/find out the cause/.test(commandLineAdvice(error))).toBe(error.retry === "after_check");
    const report = reportFailure(error, { flags: [], again: () => "", ask: () => "" }, {});
    expect(report).toMatchObject({
      exitCode: 4,
      text: expect.stringContaining("an earlier call with the key may have been sent (unknown)"),
      facts: { outcome: "unknown", retry: error.retry, idempotencyKey: "k-1" },
    });
    if (code === "REQUEST_INVALID") expect(report?.text).toContain("at fault");
  });
});
