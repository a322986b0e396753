import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { createEvents } from "../../../src/events.ts";
import { createBodies } from "../../../src/http/body.ts";
import { createHandle } from "../../../src/http/listener/handle.ts";
import { createRequestLines } from "../../../src/http/listener/request-log.ts";
import type { Answer } from "../../../src/http/send-answer.ts";
import { createLogger } from "../../../src/operator/logging/logger.ts";
import { NOTHING_KNOWN } from "../../../src/pipeline/facts.ts";
import type { RequestSettings } from "../../../src/pipeline/pipeline.ts";

const unwritable: Answer = { status: 500, headers: { "x-name": "line\nbreak" }, content: "text" };

interface Served {
  readonly port: number;
  /** The messages in the log. */
  readonly messages: readonly unknown[];
  /** The code of the problem in the line of each request; null for none. */
  readonly codes: readonly unknown[];
  /** How often an answer was replaced by a problem. */
  readonly refusals: () => number;
  /** Resolves when the first connection has closed. */
  readonly closed: Promise<unknown>;
}

/** Serves one answer, and in its place what `refuse` gives. */
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
  const handle = createHandle({
    logger,
    logLine: createRequestLines(logger),
    observation: createEvents(),
    bodies: createBodies(() => 1_024, {
      open() {
        throw new TypeError("Nothing here has files");
      },
    }),
    addressOf: () => "127.0.0.1",
    // Neither the log nor this pipeline reads them.
    takeSettings: () => ({ value: {} as RequestSettings, release: () => {} }),
    pipeline: {
      handle: async () => ({ answer, facts: NOTHING_KNOWN }),
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
  // It listens on TCP.
  const { port } = server.address() as AddressInfo;
  return { port, messages, codes, refusals: () => refusals, closed };
}

function failing(): never {
  throw new TypeError("No problem can be made");
}

/** A stream that fails after its first piece has left. */
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
  ["a refusal that cannot be written, in place of such an answer,", unwritable, () => unwritable],
  ["an answer that cannot be written, without a refusal in its place,", unwritable, failing],
  [
    "a stream that breaks, without a refusal for the log,",
    { status: 200, headers: {}, content: breaking() },
    failing,
  ],
])("%s ends the connection, and is logged", async (_, answer, refuse) => {
  const { closed, messages, port, refusals } = await serve(answer, refuse);
  const received = fetch(`http://127.0.0.1:${port}`).then((response) => response.text());
  await expect(received).rejects.toThrow();
  await closed;
  expect(refusals()).toBe(1);
  await expect.poll(() => messages).toEqual(["failed", "request"]);
});

it.each([
  ["a stream that breaks", { status: 200, headers: {}, content: breaking() }],
  ["an answer that cannot be written", unwritable],
])("%s is logged with the problem that it ended with", async (_, answer) => {
  const refusal = { status: 500, headers: {}, content: "failed" };
  const { closed, codes, port } = await serve(answer, () => refusal);
  const received = fetch(`http://127.0.0.1:${port}`).then((response) => response.text());
  await received.catch(() => undefined);
  await expect.poll(() => codes).toEqual(["INTERNAL_ERROR"]);
  await closed;
});

it("a stream that fails when its caller has gone is no failure of the request", async () => {
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
