import { specificationRequests } from "@insurance-gateway/specification";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { pensionQuote } from "../harness/fault-insurer.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, json, problem, startInsurer } from "../harness/insurer.ts";
import { openRaw, sendRaw } from "../harness/send-raw.ts";

let gateway: GatewayInProcess;
let insurer: Insurer;

beforeAll(async () => {
  insurer = await startInsurer(json(500, {}));
  gateway = await startInProcess({
    providers: [
      insurerConfiguration("d", insurer.baseUrl),
      { ...insurerConfiguration("e", insurer.baseUrl), segment: "life" },
      { ...insurerConfiguration("a", insurer.baseUrl), callerLimit: { requests: 1 } },
    ],
  });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

/** Waits until the log has a line about the request, and returns all such lines. */
async function linesOf(requestId: unknown): Promise<readonly Record<string, unknown>[]> {
  const lines = (): readonly Record<string, unknown>[] =>
    gateway.log
      .map((line) => JSON.parse(line))
      .filter((line) => line.msg === "request" && line.requestId === requestId);
  await expect.poll(lines).not.toEqual([]);
  return lines();
}

/** Returns the lines of the metrics page that begin with the name of a metric. */
async function metrics(name: string): Promise<readonly string[]> {
  const text = await (await fetch(`${gateway.operationsAddress}/metrics`)).text();
  return text
    .replaceAll("insurance_gateway_", "")
    .split("\n")
    .filter((line) => line.startsWith(name));
}

const QUOTE_PATH = "/life/life/core/fast-pension-quote";
const QUOTE = { personDob: "1985-06-15", monthlyContribution: 100, durationYears: 20 };
const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const TRACE = { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` };

/** The fields of the log line of a request without a token to an unknown path. */
const line = {
  level: 30,
  time: expect.any(String),
  requestId: expect.any(String),
  traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
  caller: null,
  method: "GET",
  route: null,
  provider: null,
  endpoint: null,
  status: 401,
  code: "UNAUTHENTICATED",
  outcome: "not_sent",
  callerGone: false,
  reason: "not_bearer",
  durationMs: expect.any(Number),
  insurerMs: null,
  msg: "request",
};
const known = { caller: expect.stringMatching(/^[0-9a-f]{16}$/), reason: null };
const succeeded = { status: 200, code: null, outcome: null, reason: null };
const life = {
  method: "POST",
  route: QUOTE_PATH,
  provider: "provider-e",
  segment: "life",
  endpoint: "calculatePensionQuote",
};
const submission = specificationRequests().find(({ number }) => number === 4)?.body;

describe("the gateway's log of requests", () => {
  it.each([
    ["an unknown caller", "/123456783/x", { headers: { authorization: "" } }, {}],
    ["an unknown path", "/123456783/x", {}, { ...known, status: 404, code: "NOT_FOUND" }],
    [
      "a page of the reference",
      "/reference/errors?anything=123456783",
      {},
      { ...succeeded, route: "/reference/errors" },
    ],
    [
      "a route of the gateway itself",
      "/submissions/123456783",
      {},
      { ...known, status: 404, code: "SUBMISSION_NOT_FOUND", route: "/submissions/{submissionId}" },
    ],
    [
      "an answered call with a trace",
      QUOTE_PATH,
      { json: QUOTE, headers: TRACE },
      { ...known, ...succeeded, ...life, traceId: TRACE_ID, insurerMs: expect.any(Number) },
    ],
    [
      "an invalid call",
      QUOTE_PATH,
      { json: {} },
      { ...known, ...life, status: 400, code: "VALIDATION_FAILED" },
    ],
  ])(
    "the gateway's log has one line for each request, with the trace, the endpoint and the insurer's time: %s",
    async (_, path, options, more) => {
      insurer.behaviour = json(200, pensionQuote);
      const answer = await gateway.ask(path, options);
      await answer.arrayBuffer();
      const expected = { ...line, ...more };
      expect(await linesOf(answer.headers.get("x-request-id"))).toEqual([expected]);
      expect(gateway.log.join("")).not.toContain("123456783");
      const { code, endpoint, outcome, status } = expected;
      const labels = `provider="${endpoint === null ? "" : "life"}",endpoint="${endpoint ?? ""}",status="${status}",code="${code ?? ""}",outcome="${outcome ?? ""}"`;
      expect(await metrics("requests_total")).toContainEqual(expect.stringContaining(labels));
    },
  );

  it("the log and the metrics distinguish a call above the per-client rate limit from admitted calls", async () => {
    insurer.behaviour = json(200, { items: [] });
    const brands = {
      ...line,
      ...known,
      route: "/provider-a/auto/brands",
      provider: "provider-a",
      endpoint: "listBrands",
    };
    for (const expected of [
      { ...brands, ...succeeded, insurerMs: expect.any(Number) },
      { ...brands, status: 429, code: "RATE_LIMITED", reason: "caller_limit" },
    ]) {
      const answer = await gateway.ask(brands.route);
      await answer.arrayBuffer();
      expect(await linesOf(answer.headers.get("x-request-id"))).toEqual([expected]);
    }
    expect(await metrics("rate_limited_total")).toEqual([
      'rate_limited_total{provider="provider-a",endpoint="listBrands"} 1',
    ]);
    const [ownSeconds] = await metrics('overhead_seconds_sum{kind="lookup"}');
    expect(Number(ownSeconds?.split(" ")[1])).toBeGreaterThan(0);
    expect(await metrics('account_calls_total{provider="provider-a"')).toEqual([
      'account_calls_total{provider="provider-a",account="default",kind="lookup",outcome=""} 1',
    ]);
  });

  it("the gateway's own time in the metrics and in Server-Timing excludes the waits for the caller and the insurer", async () => {
    let now = 1_000;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    insurer.behaviour = (response, arrival) => {
      now += 40.04;
      problem(422, "PROVIDER_REJECTED")(response, arrival);
    };
    const body = JSON.stringify(QUOTE);
    const connection = await openRaw(gateway.address);
    const readBody = new Promise((resolve) => connection.socket.once("data", resolve));
    const authorization = `authorization: Bearer ${gateway.token}`;
    const content = `content-type: application/json\r\ncontent-length: ${body.length}`;
    connection.send(
      `POST ${QUOTE_PATH} HTTP/1.1\r\nhost: x\r\n${authorization}\r\n${content}\r\nexpect: 100-continue\r\n\r\n`,
    );
    await readBody;
    now += 20;
    const sums = async (): Promise<readonly number[]> => {
      const lines = (await metrics("")).filter((one) => /seconds_sum\{.*"quote"\}/.test(one));
      return lines.map((one) => Number(one.split(" ")[1]));
    };
    const before = await sums();
    connection.send(body);
    const headers = (await connection.answer())?.headers;
    connection.socket.destroy();
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "content-type": "application/problem+json; charset=utf-8",
      ratelimit: expect.any(String),
      "server-timing": "insurer;dur=40, gateway;dur=0",
    });
    expect(await linesOf(headers?.["x-request-id"])).toMatchObject([
      { ...life, code: "PROVIDER_REJECTED", durationMs: 60, insurerMs: 40 },
    ]);
    const after = await sums();
    const added = after.map((sum, index) => Math.round((sum - (before[index] ?? 0)) * 1e5) / 1e5);
    expect(added).toEqual([0.06004, 0.04004, 0]);
  });

  it("the gateway's log has a line for every request id, even for unreadable requests", async () => {
    const unread = await sendRaw(
      gateway.address,
      "GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n",
    );
    const undecodable = await gateway.ask("/%zz");
    for (const id of [
      /x-request-id: (\S+)/.exec(unread)?.[1],
      undecodable.headers.get("x-request-id"),
    ])
      expect(await linesOf(id)).toHaveLength(1);
  });

  it("the metrics count a request that the gateway cannot read", async () => {
    const labels = 'provider="",endpoint="",status="400",code="INVALID_REQUEST"';
    const counted = async (): Promise<number> => {
      const [line = "0"] = await metrics(`requests_total{${labels}`);
      return Number(line.split(" ").at(-1));
    };
    const before = await counted();
    await sendRaw(gateway.address, "GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n");
    expect(await counted()).toBe(before + 1);
  });

  it("the metrics count requests with the status 499 if their callers disconnect before the gateway begins to read the requests", async () => {
    const connections = await Promise.all(
      Array.from({ length: 200 }, () => openRaw(gateway.address)),
    );
    const sendAll = (path: string): void => {
      for (const connection of connections)
        connection.send(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
    };
    // After these answers, the gateway has accepted all connections.
    sendAll("/reference/errors");
    await Promise.all(connections.map((connection) => connection.answer()));
    // The gateway begins to read at most 32 requests in one turn of the event loop, so most requests wait.
    sendAll("/provider-a/auto/brands");
    for (const { socket } of connections) socket.resetAndDestroy();
    const counted = 'requests_total{provider="",endpoint="",status="499",code="",outcome=""}';
    await expect.poll(() => metrics(counted)).not.toEqual([]);
  });

  it("the gateway's log reports the result of a submission whose caller disconnected", async () => {
    const caller = new AbortController();
    const arrived = insurer.nextArrival();
    let answer: (() => void) | undefined;
    insurer.behaviour = (response) => {
      answer = () => response.writeHead(500).end();
    };
    const call = gateway.ask("/provider-d/applications", {
      json: submission,
      signal: caller.signal,
    });
    const { headers } = await arrived;
    caller.abort();
    await expect(call).rejects.toThrow();
    expect(gateway.log.join("")).not.toContain(String(headers["x-request-id"]));
    answer?.();
    expect(await linesOf(headers["x-request-id"])).toMatchObject([
      { callerGone: true, code: "OUTCOME_UNKNOWN", outcome: "unknown" },
    ]);
    expect(await metrics('callers_gone_total{provider="provider-d"')).toEqual([
      'callers_gone_total{provider="provider-d",endpoint="createApplication"} 1',
    ]);
  });

  it("the gateway's log reports a submission's problem again for each repetition of the submission", async () => {
    insurer.behaviour = problem(422, "PROVIDER_REJECTED");
    const body = applicationBody();
    const headers = { "idempotency-key": "replayed-1" };
    for (let call = 0; call < 2; call += 1) {
      const response = await submitApplication(gateway, body, headers);
      await response.arrayBuffer();
      expect(await linesOf(response.headers.get("x-request-id"))).toMatchObject([
        { status: 422, code: "PROVIDER_REJECTED", outcome: "rejected" },
      ]);
    }
  });

  it("the gateway's log names a request's route template, code and outcome, but no customer's data", async () => {
    const response = await gateway.ask(
      "/provider-d/applications/search?clientAfm=123456789&start=0",
    );
    expect(await linesOf(response.headers.get("x-request-id"))).toMatchObject([
      {
        route: "/provider-d/applications/search",
        provider: "provider-d",
        status: 400,
        code: "VALIDATION_FAILED",
        outcome: "not_sent",
      },
    ]);
    const everything = gateway.log.join("");
    for (const secret of ["123456789", "Μαρία", "ΙΚΥ1234", gateway.token])
      expect(everything).not.toContain(secret);
  });
});
