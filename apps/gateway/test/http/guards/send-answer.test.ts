import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import type { Answer } from "../../../src/http/send-answer.ts";
import { sendAnswer } from "../../../src/http/send-answer.ts";

let server: Server;

afterEach(() => void server.close());

/** Serves an answer, or a 500 if the answer cannot be sent; returns the address of the server. */
async function serve(answer: Answer): Promise<string> {
  server = createServer((_, response) => {
    response.on("error", () => {});
    sendAnswer("1", answer, response).catch(() => {
      if (response.headersSent) return void response.destroy();
      return sendAnswer("1", { status: 500, headers: {}, content: "failed" }, response);
    });
  }).listen(0, "127.0.0.1");
  // Otherwise Node would close an idle connection, and the test could not tell who has closed the connection.
  server.keepAliveTimeout = 0;
  await once(server, "listening");
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

const unwritable = { "content-type": "text/plain", "x-first": "1", "x-name": "line\nbreak" };

describe("an answer over HTTP", () => {
  const type = { "content-type": "text/plain", "x-own": "1" };
  const common = { "x-request-id": "1", "x-content-type-options": "nosniff", "x-own": "1" };
  it.each<[string, Answer, object, string]>([
    [
      "ASCII text",
      { status: 200, headers: type, content: "text" },
      { ...common, "content-type": "text/plain", "content-length": "4" },
      "text",
    ],
    [
      "Greek text",
      { status: 201, headers: type, content: "Μαρία" },
      { ...common, "content-type": "text/plain", "content-length": "10" },
      "Μαρία",
    ],
    [
      "text with a known length",
      { status: 200, headers: type, content: "Μ", contentLength: 2 },
      { ...common, "content-type": "text/plain", "content-length": "2" },
      "Μ",
    ],
    [
      "bytes",
      { status: 200, headers: type, content: Buffer.from("Μ") },
      { ...common, "content-type": "text/plain", "content-length": "2" },
      "Μ",
    ],
    [
      "a stream",
      { status: 206, headers: type, content: Readable.from(["one", "two"]) },
      { ...common, "content-type": "text/plain", "transfer-encoding": "chunked" },
      "onetwo",
    ],
    ["no content", { status: 304, headers: type, content: null }, common, ""],
    ["a status without content", { status: 204, headers: type, content: "text" }, common, ""],
  ])(
    "the gateway sends exactly the headers of the answer and the headers that every answer has: %s",
    async (_, answer, headers, text) => {
      const response = await fetch(await serve(answer));
      const sent = [...response.headers].filter(([name]) => !/^(connection|date)$/.test(name));
      expect([response.status, Object.fromEntries(sent), await response.text()]).toEqual([
        answer.status,
        headers,
        text,
      ]);
    },
  );

  it.each([[{ destroyed: true }], [{ headersSent: true }]])(
    "the gateway writes no answer if the response has already begun or ended, and closes the answer's stream: %j",
    async (state) => {
      const content = Readable.from(["text"]);
      // `sendAnswer` reads only these members of a response.
      const response = { destroyed: false, headersSent: false, ...state } as ServerResponse;
      for (const one of [content, "text", null])
        await sendAnswer("1", { status: 200, headers: {}, content: one }, response);
      expect(content.destroyed).toBe(true);
    },
  );
});

describe("an answer with a header that cannot be written", () => {
  it.each([
    ["a text", () => "text"],
    ["a stream", () => Readable.from(["text"])],
  ])(
    "the gateway replaces an answer whose header cannot be written, and sends no part of the replaced answer: %s",
    async (_, content) => {
      const answer = { status: 200, headers: unwritable, content: content() };
      const response = await fetch(await serve(answer));
      expect([response.status, response.statusText]).toEqual([500, "Internal Server Error"]);
      expect([response.headers.get("x-first"), await response.text()]).toEqual([null, "failed"]);
    },
  );
});

describe("a streamed answer", () => {
  const stream = (...pieces: readonly (string | Error)[]): Answer => ({
    status: 200,
    headers: { "content-type": "text/plain" },
    content: Readable.from(piecesOf(pieces)),
  });

  it("the caller receives every piece of a streamed answer", async () => {
    const response = await fetch(await serve(stream("one", "two")));
    expect(await response.text()).toBe("onetwo");
  });

  it("the gateway closes an answer's source stream when the caller disconnects", async () => {
    const content = new Readable({ read() {} });
    content.push("one");
    const address = await serve({ status: 200, headers: {}, content });
    const caller = new AbortController();
    await fetch(address, { signal: caller.signal });
    const closed = once(content, "close");
    caller.abort();
    await closed;
  });

  it("the gateway sends another answer in place of a streamed answer if the stream fails before its first piece", async () => {
    const response = await fetch(await serve(stream(new TypeError("fault"))));
    expect([response.status, await response.text()]).toEqual([500, "failed"]);
  });

  it("the gateway sends another answer in place of a streamed answer if the stream fails before the gateway sends the answer", async () => {
    const content = new Readable({ read() {} }).on("error", () => {});
    content.destroy(new TypeError("fault"));
    const response = await fetch(await serve({ status: 200, headers: {}, content }));
    expect([response.status, await response.text()]).toEqual([500, "failed"]);
  });

  it("the gateway ends the connection if a streamed answer fails after its first piece", async () => {
    const address = await serve(stream("one", new TypeError("fault")));
    const closed = once(server, "connection").then(([socket]) => once(socket, "close"));
    const received = fetch(address).then((response) => response.text());
    await Promise.allSettled([received]);
    await closed;
    await expect(received).rejects.toThrow();
  });
});

/** Yields the texts, and throws the errors. */
async function* piecesOf(pieces: readonly (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (typeof piece !== "string") throw piece;
    yield Buffer.from(piece);
  }
}
