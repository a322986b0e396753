import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Refusal } from "@insurance-gateway/core/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createEvents,
  type Observation,
  type ObservedEndpoint,
  type ObservedRequest,
} from "../../../src/events.ts";
import { createBodyReader } from "../../../src/http/body.ts";
import { createRequestHandler } from "../../../src/http/listener/handle.ts";
import { createRequestLogger, logUnreadRequest } from "../../../src/http/listener/request-log.ts";
import { createLogger, type Logger } from "../../../src/operator/logging/logger.ts";
import { NO_FACTS, type RequestFacts } from "../../../src/pipeline/facts.ts";
import type { RequestSettings } from "../../../src/pipeline/pipeline.ts";
import type { ProviderRoute } from "../../../src/routing/route.ts";

let server: Server;
let address: string;
let reported: ObservedRequest[];
let limited: ObservedEndpoint[];
let lines: Record<string, unknown>[];
let logger: Logger;
let observation: Observation;
/** The facts about the next request that the pipeline passes to the log. */
let facts: Partial<RequestFacts>;
/** Time for which the next request waits for insurers, in milliseconds. */
let insurerMs: number | undefined;
/** Called when a request has arrived. The answer to the request waits for the returned promise. */
let answering: () => Promise<void>;

function noFiles(): never {
  throw new TypeError("Nothing here has files");
}

beforeEach(async () => {
  reported = [];
  limited = [];
  lines = [];
  facts = {};
  insurerMs = undefined;
  answering = async () => {};
  logger = createLogger({ write: (line) => void lines.push(JSON.parse(line)) });
  observation = {
    ...createEvents(),
    requestEnded: (request) => void reported.push(request),
    rateLimited: (endpoint) => void limited.push(endpoint),
  };
  const handle = createRequestHandler({
    logger,
    logLine: createRequestLogger(logger),
    observation,
    bodies: createBodyReader(() => 1_024, { open: noFiles }),
    addressOf: () => "127.0.0.1",
    // Neither the log nor the pipeline of this test reads the settings.
    takeSettings: () => ({
      value: {} as RequestSettings,
      release() {},
    }),
    pipeline: {
      async handle(given) {
        given.waits.insurerMs = insurerMs;
        await Promise.resolve(given.readBody(null)).catch(() => undefined);
        await answering();
        const known = { ...NO_FACTS, ...facts };
        const answer = { headers: {}, content: "{}" };
        if (facts.problem === undefined)
          return { answer: { ...answer, status: 200 }, facts: known };
        const refusal = new Refusal("OVERLOADED", { detail: "Too much to do." });
        return { answer: { ...answer, status: 504, refusal }, facts: known };
      },
      refuse: async () => ({
        answer: { status: 500, headers: {}, content: null },
        facts: NO_FACTS,
      }),
    },
  });
  server = createServer((request, response) => void handle(request, response, 0)).listen(
    0,
    "127.0.0.1",
  );
  await once(server, "listening");
  // The server listens on TCP.
  const { port } = server.address() as AddressInfo;
  address = `http://127.0.0.1:${port}`;
});
afterEach(() => void server.close());

// The log reads only these fields of a route.
const route = {
  template: "/motor/applications",
  segment: "motor",
  name: "createApplication",
  endpoint: { provider: "provider-d", kind: "submission" },
} as ProviderRoute;

/** Sends a request, and waits for the request's line in the log. */
async function send(
  path = "/motor/applications?clientAfm=123456783",
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  await fetch(address + path, { method: "POST", headers });
  await expect.poll(() => lines.length).toBe(1);
}

describe("the log and the events of an answered request", () => {
  it("the gateway's log has one line for each request, with the trace, the endpoint and the insurer's time", async () => {
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    facts = {
      found: { route, params: {} },
      pseudonym: "0123456789abcdef",
      problem: { code: "OUTCOME_UNKNOWN", outcome: "unknown", reason: "breaker" },
    };
    insurerMs = 8.26;
    await send(undefined, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
    expect(lines[0]).toEqual({
      level: 30,
      time: expect.any(String),
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      traceId,
      caller: "0123456789abcdef",
      method: "POST",
      route: "/motor/applications",
      provider: "provider-d",
      segment: "motor",
      endpoint: "createApplication",
      status: 504,
      code: "OUTCOME_UNKNOWN",
      outcome: "unknown",
      callerGone: false,
      reason: "breaker",
      durationMs: expect.any(Number),
      insurerMs: 8.3,
      msg: "request",
    });
  });

  it("the gateway's log names a provider's segment only if the segment differs from the provider's id", async () => {
    facts = { found: { route: { ...route, segment: "provider-d" }, params: {} } };
    await send();
    expect(lines[0]).not.toHaveProperty("segment");
  });

  it("the gateway's log has no endpoint and no insurer's time for a request without a route", async () => {
    await send("/123456783/x");
    expect(lines[0]).toMatchObject({
      route: null,
      provider: null,
      endpoint: null,
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      insurerMs: null,
    });
    expect(JSON.stringify(lines)).not.toContain("123456783");
  });

  it("the gateway reports the end of a request to the metrics with the values that the log has", async () => {
    facts = {
      found: { route, params: {} },
      problem: { code: "OUTCOME_UNKNOWN", outcome: "unknown" },
    };
    insurerMs = 8.26;
    await send();
    expect(limited).toEqual([]);
    expect(reported).toEqual([
      {
        endpoint: { segment: "motor", endpoint: "createApplication", kind: "submission" },
        account: null,
        status: 504,
        code: "OUTCOME_UNKNOWN",
        outcome: "unknown",
        callerGone: false,
        durationMs: expect.any(Number),
        insurerMs: 8.26,
        ownMs: expect.any(Number),
      },
    ]);
    expect(Math.abs((reported[0]?.durationMs ?? 0) - Number(lines[0]?.durationMs))).toBeLessThan(
      0.06,
    );
  });

  it("the gateway reports a refused request as rate limited if the caller exceeded a limit", async () => {
    const found = { route, params: {} };
    facts = { found, problem: { code: "RATE_LIMITED", outcome: "not_sent" } };
    await send();
    expect(reported).toMatchObject([{ code: "RATE_LIMITED" }]);
    expect(limited).toEqual([
      { segment: "motor", endpoint: "createApplication", kind: "submission" },
    ]);
  });

  it("the gateway reports a request to a route of the gateway itself without an endpoint", async () => {
    const own = {
      template: "/submissions/{submissionId}",
      answer: async () => ({ body: {} }),
      limitCaller: () => ({}),
    };
    facts = { found: { route: own, params: {} } };
    await send();
    expect(reported).toMatchObject([{ endpoint: null, code: null, outcome: null, insurerMs: 0 }]);
    expect(lines[0]).toMatchObject({ route: own.template, provider: null, endpoint: null });
  });

  it("the gateway reports the request of a disconnected caller once, after the request's end", async () => {
    const arrived = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    server.once("request", (_, response) => response.once("close", () => gone.resolve()));
    answering = () => {
      arrived.resolve();
      return answered.promise;
    };
    const caller = new AbortController();
    const call = fetch(address, { signal: caller.signal });
    await arrived.promise;
    caller.abort();
    await expect(call).rejects.toThrow();
    await gone.promise;
    expect([reported, lines]).toEqual([[], []]);
    answered.resolve();
    await expect.poll(() => reported).toMatchObject([{ callerGone: true }]);
    expect(lines).toMatchObject([{ callerGone: true }]);
  });

  it("the gateway reports the end of a request to the metrics even if the request's body never arrives completely", async () => {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    const arrived = once(server, "request");
    socket.write(
      "POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 9\r\n\r\nx",
    );
    await arrived;
    socket.destroy();
    await expect.poll(() => reported).toMatchObject([{ callerGone: true }]);
    expect(lines).toMatchObject([{ callerGone: true }]);
  });
});

describe("the log and the events of an unreadable request", () => {
  it("the gateway logs an unreadable request, and reports the request's end without an endpoint", () => {
    const requestId = randomUUID();
    const problem = {
      type: "/reference/errors/INVALID_REQUEST",
      title: "",
      detail: "",
      status: 400,
      code: "INVALID_REQUEST",
      outcome: "not_sent",
      retry: "never",
      provider: null,
      requestId,
    } as const;
    logUnreadRequest(createRequestLogger(logger), problem, observation);
    const seen = { status: 400, code: "INVALID_REQUEST", outcome: "not_sent" };
    expect(lines).toMatchObject([{ ...seen, requestId, msg: "request" }]);
    expect(reported).toEqual([
      {
        ...seen,
        endpoint: null,
        account: null,
        callerGone: false,
        durationMs: 0,
        insurerMs: 0,
        ownMs: 0,
      },
    ]);
  });
});
