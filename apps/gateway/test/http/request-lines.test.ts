import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createEvents } from "../../src/events.ts";
import type { IncomingRequest, RequestWaits } from "../../src/http/exchange.ts";
import {
  createRequestLogger,
  type EndedRequest,
  logRequest,
  reportOfGoneCaller,
} from "../../src/http/listener/request-log.ts";
import { createLogger } from "../../src/operator/logging/logger.ts";
import { NO_FACTS, type RequestFacts } from "../../src/pipeline/facts.ts";
import type { ProviderRoute } from "../../src/routing/route.ts";

let lines: unknown[];
let observed: unknown[];
beforeEach(() => {
  lines = [];
  observed = [];
  const clock = vi.spyOn(performance, "now").mockReturnValue(1_100.26);
  onTestFinished(() => clock.mockRestore());
});

// The log reads only these members of a route.
const route = {
  template: "/motor/quotes",
  segment: "motor",
  name: "quote",
  endpoint: { provider: "provider-d", kind: "quote" },
} as ProviderRoute;

/** Logs a request that arrived 100.26 ms ago, and that the gateway finished 10 ms ago. */
function end(
  facts: Partial<RequestFacts>,
  {
    response,
    waits,
    ...more
  }: Partial<EndedRequest> & { readonly waits?: Partial<RequestWaits> } = {},
): void {
  const exchange = {
    id: "0b0f3a52-9d0c-4e5b-8f10-123456783abc",
    trace: { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", parentId: null, flags: 0 },
    head: { method: "GET" },
    begunAt: 1_000,
    waits: { receivedMs: undefined, insurerMs: undefined, ...waits },
    // The log reads only these members of a request.
  } as IncomingRequest;
  const logger = createLogger({
    write(line) {
      const { level: _level, time: _time, ...fields } = JSON.parse(line);
      lines.push(fields);
    },
  });
  logRequest(
    {
      exchange,
      facts: { ...NO_FACTS, ...facts },
      response: response ?? { statusCode: 200, writableFinished: true },
      servedAt: 1_090.26,
      isBrokenOff: false,
      ...more,
    },
    createRequestLogger(logger),
    {
      ...createEvents(),
      requestEnded: (request) => void observed.push(request),
      rateLimited: (endpoint) => void observed.push(["limited", endpoint]),
    },
  );
}

const bare = {
  requestId: "0b0f3a52-9d0c-4e5b-8f10-123456783abc",
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  caller: null,
  method: "GET",
  route: null,
  provider: null,
  endpoint: null,
  status: 200,
  code: null,
  outcome: null,
  callerGone: false,
  reason: null,
  durationMs: 100.3,
  insurerMs: null,
  msg: "request",
};
const unserved = {
  endpoint: null,
  account: null,
  status: 200,
  code: null,
  outcome: null,
  callerGone: false,
  durationMs: 1_100.26 - 1_000,
  insurerMs: 0,
  ownMs: 1_090.26 - 1_000,
};

describe("a finished request", () => {
  it("the log and the metrics of a request omit the route, the caller and the problem if the request has none of these", () => {
    end({});
    expect([lines, observed]).toEqual([[bare], [unserved]]);
  });

  it("the log and the metrics of a refused request state the caller, the account, the route, the problem and the durations", () => {
    let failures = 0;
    end(
      {
        found: { route, params: {} },
        pseudonym: "0123456789abcdef",
        account: "north",
        countFailure: () => {
          failures += 1;
        },
        problem: { code: "RATE_LIMITED", outcome: "not_sent", reason: "caller_limit" },
      },
      {
        response: { statusCode: 429, writableFinished: false },
        waits: { insurerMs: 40.04, receivedMs: 20 },
      },
    );
    expect(lines).toEqual([
      {
        ...bare,
        caller: "0123456789abcdef",
        route: "/motor/quotes",
        provider: "provider-d",
        segment: "motor",
        endpoint: "quote",
        account: "north",
        status: 429,
        code: "RATE_LIMITED",
        outcome: "not_sent",
        callerGone: true,
        reason: "caller_limit",
        insurerMs: 40,
      },
    ]);
    const endpoint = { segment: "motor", endpoint: "quote", kind: "quote" };
    expect(observed).toEqual([
      ["limited", endpoint],
      {
        ...unserved,
        endpoint,
        account: "north",
        status: 429,
        code: "RATE_LIMITED",
        outcome: "not_sent",
        callerGone: true,
        insurerMs: 40.04,
        ownMs: 1_090.26 - 1_000 - 20 - 40.04,
      },
    ]);
    expect(failures).toBe(1);
  });

  it("a successful request does not count as a failure, and its log line does not name the default account", () => {
    const countFailure = (): never => {
      throw new TypeError("It has not failed");
    };
    end({ found: { route, params: {} }, account: "default", countFailure });
    expect(lines).toEqual([
      {
        ...bare,
        route: "/motor/quotes",
        provider: "provider-d",
        segment: "motor",
        endpoint: "quote",
      },
    ]);
    expect(observed).toMatchObject([{ account: "default", code: null }]);
  });

  it("the gateway does not record a request as cancelled by the caller if the gateway itself ended the connection", () => {
    const response = { statusCode: 200, writableFinished: false };
    end({ account: "north" }, { response, isBrokenOff: true });
    expect(observed).toEqual([unserved]);
    expect(lines).toEqual([{ ...bare, account: "north" }]);
  });

  it("the log never states a negative time for the gateway, even if the insurer's time exceeds the whole time of the request", () => {
    end({}, { waits: { insurerMs: 500 } });
    expect(observed).toEqual([{ ...unserved, insurerMs: 500, ownMs: 0 }]);
  });

  it("the log line of a request for a documentation page names the template of the page", () => {
    end({ pageTemplate: "/reference/errors" });
    expect(lines).toEqual([{ ...bare, route: "/reference/errors" }]);
  });
});

it("the gateway records the status 499 for a request whose caller disconnected before the gateway began to read the request", () => {
  expect(reportOfGoneCaller(12)).toEqual({
    ...unserved,
    status: 499,
    callerGone: true,
    durationMs: 12,
    ownMs: 12,
  });
});
