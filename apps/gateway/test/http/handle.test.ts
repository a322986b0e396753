import { once } from "node:events";
import { createServer, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import type { Refusal } from "@insurance-gateway/core/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createEvents } from "../../src/events.ts";
import { createBodyReader } from "../../src/http/body.ts";
import type { IncomingRequest } from "../../src/http/exchange.ts";
import { createRequestHandler } from "../../src/http/listener/handle.ts";
import { createRequestLogger } from "../../src/http/listener/request-log.ts";
import { createLogger } from "../../src/operator/logging/logger.ts";
import { NO_FACTS } from "../../src/pipeline/facts.ts";
import type { RequestSettings } from "../../src/pipeline/pipeline.ts";

let server: Server;
let address: string;
let exchanges: IncomingRequest[];
let responses: ServerResponse[];
let bodies: string[];
let answering: () => Promise<void>;
let content: string | Readable;
let refusal: Refusal | null;
let log: (line: string) => void;
const settings = { reference: null } as RequestSettings;

beforeEach(async () => {
  exchanges = [];
  responses = [];
  bodies = [];
  answering = async () => {};
  content = "{}";
  refusal = null;
  log = () => {};
  const handle = createRequestHandler({
    logger: createLogger({ write: (line) => log(line) }),
    logLine: createRequestLogger(createLogger({ write: (line) => log(line) })),
    observation: createEvents(),
    bodies: {
      ...createBodyReader(() => 10, {
        open() {
          throw new TypeError("Nothing here has files");
        },
      }),
      remove: async ({ url }) => void bodies.push(`removed ${url}`),
    },
    addressOf: ({ url }) => `address of ${url}`,
    takeSettings: () => ({ value: settings, release: () => {} }),
    pipeline: {
      async handle(exchange) {
        exchanges.push(exchange);
        const body = await exchange.readBody(null);
        bodies.push(body === undefined ? "none" : "read");
        await answering();
        const answer = { status: 200, headers: {}, content };
        return {
          answer: refusal === null ? answer : { ...answer, refusal },
          facts: NO_FACTS,
        };
      },
      refuse: async () => ({
        answer: { status: 500, headers: {}, content: null },
        facts: NO_FACTS,
      }),
    },
  });
  server = createServer((incoming, response) => {
    responses.push(response);
    void handle(incoming, response, 250);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  // The server listens on TCP.
  const { port } = server.address() as AddressInfo;
  address = `http://127.0.0.1:${port}`;
});
afterEach(() => void server.close());

async function send(
  method: string,
  headers: Readonly<Record<string, string>>,
  content: string,
): Promise<void> {
  const sent = request(`${address}/path`, { method, headers }).end(content);
  const [response] = await once(sent, "response");
  response.resume();
  await once(response, "close");
}

describe("a request", () => {
  it.each([
    ["GET", { "content-length": "1" }, "x", "none"],
    ["HEAD", { "content-length": "1" }, "x", "none"],
    ["POST", { "content-length": "0" }, "", "none"],
    ["DELETE", {}, "", "none"],
    ["POST", { "content-length": "1" }, "x", "read"],
    ["PUT", { "transfer-encoding": "chunked" }, "x", "read"],
  ])(
    "the gateway reads a body only if the request's headers announce content: %s with the headers %j and the body %j, %s",
    async (method, headers, content, expected) => {
      await send(method, headers, content);
      expect(bodies[0]).toBe(expected);
      // The gateway removes the received files when the request is over.
      if (expected === "read") await expect.poll(() => bodies).toEqual(["read", "removed /path"]);
      expect(exchanges[0]?.waits.receivedMs === undefined).toBe(expected === "none");
    },
  );

  it("the gateway records the trace, the caller's address and the start time of each request, even if the request had to wait", async () => {
    const before = performance.now();
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    await send("GET", { traceparent }, "");
    await send("GET", {}, "");
    const [first, second] = exchanges;
    expect(first).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      waitedMs: 250,
      trace: {
        traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
        parentId: "00f067aa0ba902b7",
        flags: 1,
      },
    });
    expect(first?.address()).toBe("address of /path");
    expect(Number(first?.begunAt)).toBeLessThan(performance.now() - 250);
    expect(Number(first?.begunAt)).toBeGreaterThanOrEqual(before - 250);
    expect(second?.trace).toMatchObject({ parentId: null, flags: 2 });
    expect(second?.id).not.toBe(first?.id);
  });

  it("a caller's disconnect is reported to every registered listener, but not to a removed listener", async () => {
    const arrived = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    answering = () => {
      arrived.resolve();
      return over.promise;
    };
    const caller = new AbortController();
    const logged = Promise.withResolvers<void>();
    log = () => logged.resolve();
    const call = fetch(address, { signal: caller.signal });
    await arrived.promise;
    const [exchange] = exchanges;
    if (exchange === undefined) throw new Error("Nothing has arrived");
    const { callerGone } = exchange;
    const informed: string[] = [];
    const listeners = ["first", "second"].map((name) => () => void informed.push(name));
    for (const listener of listeners) callerGone.addEventListener("abort", listener);
    if (listeners[0] !== undefined) callerGone.removeEventListener("abort", listeners[0]);
    expect(callerGone.aborted).toBe(false);
    caller.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => callerGone.aborted).toBe(true);
    over.resolve();
    expect(informed).toEqual(["second"]);
    await logged.promise;
  });

  it("the log has only one line for a request if the caller disconnects while the gateway prepares the answer", async () => {
    const lines: string[] = [];
    log = (line) => void lines.push(line);
    answering = async () => void responses[0]?.destroy();
    await expect(send("GET", {}, "")).rejects.toThrow();
    await expect.poll(() => lines.length).toBe(1);
    expect(lines[0]).toContain('"callerGone":true');
    expect(responses[0]?.headersSent).toBe(false);
  });

  it("the gateway does not record a request as cancelled by the caller if the answer was sent completely", async () => {
    await send("GET", {}, "");
    await expect.poll(() => responses[0]?.closed).toBe(true);
    expect(exchanges[0]?.callerGone.aborted).toBe(false);
  });
});
