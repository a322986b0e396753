import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ConnectionError, OutcomeUnknownError, type Transport } from "../../src/index.ts";
import { realTime, type TransportRequest } from "../../src/transport/transport.ts";
import { connect } from "../harness/connect.ts";
import { createPolicy, listBrands, policyBody } from "../harness/declarations.ts";
import { failureOf } from "../harness/failure.ts";
import { NOBODY_LISTENS } from "../harness/listen.ts";
import { throwingTransport } from "./throwing-transport.ts";

const thrown = new TypeError("fetch failed");

/** A transport whose answer has a head, and a body that fails with an error that is not a TransportError. */
const cutTransport: Transport = {
  send: async () => ({
    status: 201,
    headers: { "x-request-id": "req-7", location: "/submissions/S-1" },
    body: {
      text: () => Promise.reject(thrown),
      stream: async function* () {},
      discard: () => undefined,
    },
  }),
  close: async () => undefined,
};

describe("errors of the calling program's transport", () => {
  it("a submission has the outcome `unknown`, and the error has the generated key, if the calling program's transport throws", async () => {
    const gateway = connect(NOBODY_LISTENS, { transport: throwingTransport(thrown) });
    const failure = await failureOf(gateway.call(createPolicy, { body: policyBody }));
    if (!OutcomeUnknownError.isInstance(failure))
      throw new TypeError("The error has another class");
    expect(failure).toMatchObject({ code: "CONNECTION_FAILED", status: null, requestId: null });
    expect(failure.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
    expect(ConnectionError.isInstance(failure.cause)).toBe(true);
    expect(failure.cause.cause).toBe(thrown);
  });

  it("a lookup fails with a ConnectionError if the calling program's transport throws an unknown error", async () => {
    const gateway = connect(NOBODY_LISTENS, { transport: throwingTransport(thrown) });
    const failure = await failureOf(gateway.call(listBrands));
    expect(ConnectionError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({ code: "CONNECTION_FAILED", outcome: "unknown", retry: "safe" });
    expect(failure).toHaveProperty("cause", thrown);
  });

  it("the client reports a failed connection, not invalid JSON, if the calling program's transport throws in the middle of an answer", async () => {
    const gateway = connect(NOBODY_LISTENS, { transport: cutTransport });
    expect(await failureOf(gateway.call(createPolicy, { body: policyBody }))).toMatchObject({
      code: "CONNECTION_FAILED",
      status: 201,
      requestId: "req-7",
      submissionId: "S-1",
      cause: { cause: thrown },
    });
  });

  it("the client's error does not print the transport's error, which may contain the request", async () => {
    const error = new TypeError('POST {"afm":"987654321"} failed');
    const gateway = connect(NOBODY_LISTENS, { transport: throwingTransport(error) });
    const failure = await failureOf(gateway.call(createPolicy, { body: policyBody }));
    expect(inspect(failure, { depth: 10 }) + JSON.stringify(failure)).not.toContain("987654321");
    expect(inspect(failure, { depth: 10 })).toContain("[cause]: [Getter]");
  });
});

describe("a transport with a clock", () => {
  /** Returns a client whose clock only the test advances, and the requests that the client sent. */
  function clientWithClock(): {
    readonly connected: (options?: object) => ReturnType<typeof connect>;
    readonly sent: TransportRequest[];
    readonly pass: (milliseconds: number) => void;
  } {
    let now = Date.parse("2026-11-30T12:00:00Z");
    const sent: TransportRequest[] = [];
    const transport: Transport = {
      time: { ...realTime, now: () => now, elapsed: () => now },
      async send(request) {
        sent.push(request);
        return {
          status: 200,
          headers: { "content-type": "application/json" },
          body: {
            text: async () => '{"items":[]}',
            stream: async function* () {},
            discard: () => undefined,
          },
        };
      },
      close: async () => undefined,
    };
    return {
      connected: (options) => connect(NOBODY_LISTENS, { transport, ...options }),
      sent,
      pass(milliseconds) {
        now += milliseconds;
      },
    };
  }

  it("a token expires by the clock of the calling program's transport", async () => {
    const { connected, pass, sent } = clientWithClock();
    let count = 0;
    const gateway = connected({
      token: () => ({ token: `token-${++count}`, expiresInSeconds: 3_600 }),
    });
    await gateway.call(listBrands);
    await gateway.call(listBrands);
    pass(3_600_000);
    await gateway.call(listBrands);
    expect(sent.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer token-1",
      "Bearer token-1",
      "Bearer token-2",
    ]);
  });

  it("the client measures the time limit of `each` by the clock of the calling program's transport", async () => {
    const { connected, pass, sent } = clientWithClock();
    const gateway = connected();
    const first = (): Promise<unknown> => {
      pass(3_000);
      return Promise.resolve();
    };
    const calls = { first, second: () => gateway.call(listBrands) };
    for await (const { error } of gateway.each(calls, { within: 8_000 })) expect(error).toBeNull();
    expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual([5_000]);
  });
});
