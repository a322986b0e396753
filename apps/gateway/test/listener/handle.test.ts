import { once } from "node:events";
import {
  type ClientRequest,
  createServer,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createBodies } from "../../src/listener/body.ts";
import { type Exchange, NOTHING_KNOWN } from "../../src/listener/exchange.ts";
import { createHandle } from "../../src/listener/handle.ts";
import { createTurns } from "../../src/listener/turns.ts";
import { createWorkload, type Workload } from "../../src/listener/workload.ts";
import { createLogger } from "../../src/logging/logger.ts";
import { combine } from "../../src/observation/observation.ts";
import type { RequestSettings } from "../../src/pipeline.ts";
import { Refusal } from "../../src/problems/refusal.ts";

let server: Server;
let address: string;
let exchanges: Exchange[];
let responses: ServerResponse[];
let bodies: string[];
let answering: () => Promise<void>;
let content: string | Readable;
let refusal: Refusal | null;
let log: (line: string) => void;
let workload: Workload;
let holding: () => Promise<void> | undefined;
const settings = { reference: null } as RequestSettings;

beforeEach(async () => {
  exchanges = [];
  responses = [];
  bodies = [];
  answering = async () => {};
  content = "{}";
  refusal = null;
  log = () => {};
  workload = createWorkload();
  holding = () => undefined;
  const handle = createHandle({
    logger: createLogger({ write: (line) => log(line) }),
    observation: combine([]),
    delayedRejections: { hold: () => holding() },
    turns: createTurns(workload),
    bodies: {
      ...createBodies(() => 10, {
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
        const body = exchange.readBody(null);
        await body;
        bodies.push(body === undefined ? "none" : "read");
        await answering();
        const answer = { status: 200, headers: {}, content };
        return {
          answer: refusal === null ? answer : { ...answer, refusal },
          facts: NOTHING_KNOWN,
        };
      },
      refuse: async () => ({
        answer: { status: 500, headers: {}, content: null },
        facts: NOTHING_KNOWN,
      }),
    },
  });
  server = createServer((incoming, response) => {
    responses.push(response);
    handle(incoming, response, 250);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  // It listens on TCP.
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
  ])("with %s and %j has a body: %s, %s", async (method, headers, content, expected) => {
    await send(method, headers, content);
    expect(bodies[0]).toBe(expected);
    // What may have files is looked for when the request is over.
    if (expected === "read") await expect.poll(() => bodies).toEqual(["read", "removed /path"]);
    expect(exchanges[0]?.waits.receivedMs === undefined).toBe(expected === "none");
  });

  it("has its trace, its settings, its address, and began when it had arrived", async () => {
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
    expect(first?.settings).toBe(settings);
    expect(first?.address()).toBe("address of /path");
    expect(Number(first?.begunAt)).toBeLessThan(performance.now() - 250);
    expect(Number(first?.begunAt)).toBeGreaterThanOrEqual(before - 250);
    expect(second?.trace).toMatchObject({ parentId: null, flags: 2 });
    expect(second?.id).not.toBe(first?.id);
  });

  it("informs the listeners that remain when its caller has gone", async () => {
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

  it("knows how long its refusal was held back, and no other answer is", async () => {
    // The log rounds to a tenth of a millisecond: it is held for longer.
    holding = async () => {
      const until = performance.now() + 1;
      while (performance.now() < until) await new Promise(setImmediate);
    };
    const lines: { readonly heldMs?: number }[] = [];
    log = (line) => void lines.push(JSON.parse(line));
    await send("GET", {}, "");
    refusal = new Refusal("OVERLOADED", { detail: "Too much to do." });
    const before = performance.now();
    await send("GET", {}, "");
    await expect.poll(() => lines.length).toBe(2);
    const [first, second] = lines;
    expect(first?.heldMs).toBeUndefined();
    expect(second?.heldMs).toBeGreaterThan(0);
    // It is rounded.
    expect(second?.heldMs).toBeLessThan(performance.now() - before + 0.1);
  });

  it("is answered with those that are ready at the same time", async () => {
    const over = Promise.withResolvers<void>();
    answering = () => over.promise;
    const calls = [send("GET", {}, ""), send("GET", {}, "")];
    await expect.poll(() => exchanges.length).toBe(2);
    over.resolve();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    for (let step = 0; step < 50; step += 1) await Promise.resolve();
    expect(responses.map(({ headersSent }) => headersSent)).toEqual([false, false]);
    await new Promise(setImmediate);
    expect(responses.map(({ headersSent }) => headersSent)).toEqual([true, true]);
    await Promise.all(calls);
  });

  it("whose caller goes while its answer waits is ended once", async () => {
    const lines: string[] = [];
    log = (line) => void lines.push(line);
    answering = async () => void responses[0]?.destroy();
    await expect(send("GET", {}, "")).rejects.toThrow();
    await expect.poll(() => lines.length).toBe(1);
    expect(lines[0]).toContain('"callerGone":true');
    expect(responses[0]?.headersSent).toBe(false);
  });

  it("whose answer was sent completely has no caller who has gone", async () => {
    await send("GET", {}, "");
    await expect.poll(() => responses[0]?.closed).toBe(true);
    expect(exchanges[0]?.callerGone.aborted).toBe(false);
  });
});

describe("a request is not in progress any more", () => {
  /** Sends a request whose caller does not end it, and waits until it has arrived. */
  async function begin(headers: Readonly<Record<string, string>>): Promise<ClientRequest> {
    const sent = request(address, { method: "POST", headers, agent: false });
    sent.on("error", () => {});
    // Without a listener, Node reads the answer.
    sent.on("response", (response) => response.pause());
    onTestFinished(() => void sent.destroy());
    sent.flushHeaders();
    await expect.poll(() => exchanges.length).toBe(1);
    return sent;
  }

  it("when its answer was sent, and is in progress until then", async () => {
    let during = 0;
    answering = async () => {
      during = workload.inProgress();
    };
    await send("GET", {}, "");
    expect([during, workload.inProgress()]).toEqual([1, 0]);
  });

  it("while its refusal is delayed", async () => {
    const over = Promise.withResolvers<void>();
    refusal = new Refusal("OVERLOADED", { detail: "Too much to do." });
    holding = () => over.promise;
    await begin({ "content-length": "0" });
    await expect.poll(() => workload.inProgress()).toBe(0);
    expect(responses[0]?.headersSent).toBe(false);
    over.resolve();
    await expect.poll(() => responses[0]?.headersSent).toBe(true);
    expect(workload.inProgress()).toBe(0);
  });

  it("while its body is waited for, and is again when it has come", async () => {
    const over = Promise.withResolvers<void>();
    answering = () => over.promise;
    const sent = await begin({ "content-length": "5" });
    expect(workload.inProgress()).toBe(0);
    expect(bodies).toEqual([]);
    sent.end("12345");
    await expect.poll(() => bodies).toEqual(["read"]);
    expect(workload.inProgress()).toBe(1);
    over.resolve();
    await expect.poll(() => workload.inProgress()).toBe(0);
  });

  it("when its caller has gone before its body has come", async () => {
    const sent = await begin({ "content-length": "5" });
    sent.destroy();
    await expect.poll(() => responses[0]?.closed).toBe(true);
    await new Promise(setImmediate);
    expect(workload.inProgress()).toBe(0);
  });

  it("when its caller has gone, though the gateway works on", async () => {
    const over = Promise.withResolvers<void>();
    answering = () => over.promise;
    await begin({ "content-length": "0" });
    expect(workload.inProgress()).toBe(1);
    responses[0]?.destroy();
    await expect.poll(() => workload.inProgress()).toBe(0);
    over.resolve();
  });

  it("while its caller reads a long answer", async () => {
    content = Readable.from(Array.from({ length: 1_000 }, () => Buffer.alloc(65_536)));
    await begin({ "content-length": "0" });
    await expect.poll(() => responses[0]?.headersSent).toBe(true);
    expect(workload.inProgress()).toBe(0);
    await new Promise(setImmediate);
    expect(responses[0]?.writableFinished).toBe(false);
  });
});

describe("answers that are sent together", () => {
  it("are sent once, in the next check phase", async () => {
    const sent: string[] = [];
    const turns = createTurns(workload);
    for (const name of ["first", "second"]) turns.send(() => void sent.push(name));
    expect(sent).toEqual([]);
    await new Promise(setImmediate);
    expect(sent).toEqual(["first", "second"]);
    await new Promise(setImmediate);
    expect(sent).toEqual(["first", "second"]);
  });
});
