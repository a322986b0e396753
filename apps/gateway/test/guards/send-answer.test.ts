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
    sendAnswer("1", answer, response, () =>
      sendAnswer("1", { status: 500, headers: {}, content: "failed" }, response, () => {}),
    );
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

describe("a document", () => {
  const document = (size: number): Answer => ({
    status: 200,
    headers: { "content-length": String(size) },
    content: Readable.from([Buffer.from("one"), Buffer.from("two")]),
  });

  it("arrives whole where it has its declared size", async () => {
    const response = await fetch(await serve(document(6)));
    expect(await response.text()).toBe("onetwo");
  });

  it.each([5, 100])("of 6 bytes with a declared size of %i ends its connection", async (size) => {
    const address = await serve(document(size));
    const closed = once(server, "connection").then(([socket]) => once(socket, "close"));
    const received = fetch(address).then((response) => response.text());
    await Promise.allSettled([received]);
    await closed;
    await expect(received).rejects.toThrow();
  });
});
