import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { sendAnswer } from "../../src/listener/send-answer.ts";
import type { Answer } from "../../src/pipeline.ts";

let server: Server;

afterEach(() => void server.close());

/** Serves one answer, and a 500 in its place where nothing of it can be sent; returns the address. */
async function serve(answer: Answer): Promise<string> {
  server = createServer((_, response) => {
    response.on("error", () => {});
    const broken = (): void => void response.destroy();
    sendAnswer("1", answer, response, {
      broken,
      failed() {
        const failed = { status: 500, headers: {}, content: "failed" };
        sendAnswer("1", failed, response, { broken, failed: broken });
      },
    });
  }).listen(0, "127.0.0.1");
  // So only the answer itself ends a connection.
  server.keepAliveTimeout = 0;
  await once(server, "listening");
  // It listens on TCP.
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

const unwritable = { "content-type": "text/plain", "x-first": "1", "x-name": "line\nbreak" };

describe("an answer with a header that cannot be written", () => {
  it.each([
    ["a text", () => "text"],
    ["a stream", () => Readable.from(["text"])],
  ])("of %s gives way to another, of which nothing is the first one's", async (_, content) => {
    const answer = { status: 200, headers: unwritable, content: content() };
    const response = await fetch(await serve(answer));
    expect([response.status, response.statusText]).toEqual([500, "Internal Server Error"]);
    expect([response.headers.get("x-first"), await response.text()]).toEqual([null, "failed"]);
  });
});

describe("a stream", () => {
  const stream = (...pieces: readonly (string | Error)[]): Answer => ({
    status: 200,
    headers: { "content-type": "text/plain" },
    content: Readable.from(piecesOf(pieces)),
  });

  it("arrives piece by piece", async () => {
    const response = await fetch(await serve(stream("one", "two")));
    expect(await response.text()).toBe("onetwo");
  });

  it("that fails before its first piece gives way to another answer", async () => {
    const response = await fetch(await serve(stream(new TypeError("fault"))));
    expect([response.status, await response.text()]).toEqual([500, "failed"]);
  });

  it("that fails later ends its connection", async () => {
    const address = await serve(stream("one", new TypeError("fault")));
    const closed = once(server, "connection").then(([socket]) => once(socket, "close"));
    const received = fetch(address).then((response) => response.text());
    await Promise.allSettled([received]);
    await closed;
    await expect(received).rejects.toThrow();
  });
});

/** Gives the texts, and throws the errors. */
async function* piecesOf(pieces: readonly (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (typeof piece !== "string") throw piece;
    yield Buffer.from(piece);
  }
}
