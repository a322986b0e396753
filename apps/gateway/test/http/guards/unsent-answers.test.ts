import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { createEvents } from "../../../src/events.ts";
import { createBodyReader } from "../../../src/http/body.ts";
import { createRequestHandler } from "../../../src/http/listener/handle.ts";
import { createRequestLogger } from "../../../src/http/listener/request-log.ts";
import type { Answer } from "../../../src/http/send-answer.ts";
import { createLogger } from "../../../src/operator/logging/logger.ts";
import { NO_FACTS } from "../../../src/pipeline/facts.ts";
import type { RequestSettings } from "../../../src/pipeline/pipeline.ts";

const unwritable: Answer = { status: 500, headers: { "x-name": "line\nbreak" }, content: "text" };

interface Served {
  readonly port: number;
  /** The messages in the log. */
  readonly messages: readonly unknown[];
  /** The code of the problem in the log line of each request; null without a problem. */
  readonly codes: readonly unknown[];
  /** Returns the number of problems that were sent because another answer could not be sent. */
  readonly refusals: () => number;
  /** Resolves when the first connection has closed. */
  readonly closed: Promise<unknown>;
}

/** Serves one answer; if the answer cannot be sent, serves the answer of `refuse` in its place. */
async function serve(answer: Answer, refuse: () => Answer): Promise<Served> {
  const messages: unknown[] = [];
  const codes: unknown[] = [];
  let refusals = 0;
  const logger = createLogger({
    write(line) {
      const { code, msg } = JSON.parse(line);
      messages.push(msg);
      if (msg === "request") codes.push(code);
    },
  });
  const handle = createRequestHandler({
    logger,
    logLine: createRequestLogger(logger),
    observation: createEvents(),
    bodies: createBodyReader(() => 1_024, {
      open() {
        throw new TypeError("Nothing here has files");
      },
    }),
    addressOf: () => "127.0.0.1",
    // Neither the log nor this pipeline reads the settings.
    takeSettings: () => ({ value: {} as RequestSettings, release: () => {} }),
    pipeline: {
      handle: async () => ({ answer, facts: NO_FACTS }),
      async refuse(_error, _exchange, facts) {
        refusals += 1;
        if (refusals > 5) throw new TypeError("It never ends");
        const problem = { code: "INTERNAL_ERROR", outcome: "unknown" };
        return { answer: refuse(), facts: { ...facts, problem } };
      },
    },
  });
  const server = createServer((request, response) => void handle(request, response, 0));
  onTestFinished(() => void server.close());
  const closed = once(server, "request").then(([, response]) => once(response, "close"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  return { port, messages, codes, refusals: () => refusals, closed };
}

function failing(): never {
  throw new TypeError("No problem can be made");
}

/** Creates a stream that fails after its first piece was sent. */
function breaking(): Readable {
  let isFirst = true;
  return new Readable({
    read() {
      if (isFirst) this.push("first");
      else setImmediate(() => this.destroy(new TypeError("fault")));
      isFirst = false;
    },
  });
}

it.each([
  ["an unwritable answer with an unwritable problem", unwritable, () => unwritable],
  ["an unwritable answer without a problem", unwritable, failing],
  ["a broken stream without a problem", { status: 200, headers: {}, content: breaking() }, failing],
])(
  "the gateway ends the connection and logs the failure if neither an answer nor a problem in its place can be sent: %s",
  async (_, answer, refuse) => {
    const { closed, messages, port, refusals } = await serve(answer, refuse);
    const received = fetch(`http://127.0.0.1:${port}`).then((response) => response.text());
    await expect(received).rejects.toThrow();
    await closed;
    expect(refusals()).toBe(1);
    await expect.poll(() => messages).toEqual(["failed", "request"]);
  },
);

it.each([
  ["a broken stream", { status: 200, headers: {}, content: breaking() }],
  ["an unwritable answer", unwritable],
])(
  "the log line of a request has the code `INTERNAL_ERROR` if the answer could not be sent completely: %s",
  async (_, answer) => {
    const refusal = { status: 500, headers: {}, content: "failed" };
    const { closed, codes, port } = await serve(answer, () => refusal);
    const received = fetch(`http://127.0.0.1:${port}`).then((response) => response.text());
    await received.catch(() => undefined);
    await expect.poll(() => codes).toEqual(["INTERNAL_ERROR"]);
    await closed;
  },
);

it("a stream that fails after the caller's disconnect does not count as a failure of the gateway", async () => {
  const ended = Promise.withResolvers<void>();
  const content = new Readable({
    read() {
      if (this.readableFlowing === true) this.push("piece");
    },
    destroy(_, callback) {
      callback(new TypeError("fault"));
      setImmediate(() => ended.resolve());
    },
  });
  const { messages, port, refusals } = await serve({ status: 200, headers: {}, content }, failing);
  const caller = connect(port, "127.0.0.1");
  caller.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  await once(caller, "data");
  caller.destroy();
  await ended.promise;
  expect([refusals(), messages]).toEqual([0, ["request"]]);
});
