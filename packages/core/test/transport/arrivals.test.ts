import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createTransport, TransportError } from "../../src/transport/index.ts";

let server: Server | undefined;
afterEach(() => void server?.close());

/** Starts a server that calls `act` with all connections when a number of these connections have sent a request. */
async function whenAsked(
  times: number,
  act: (sockets: readonly Socket[]) => void,
): Promise<string> {
  const asked: Socket[] = [];
  server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      if (asked.push(socket) === times) act(asked);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("It listens on TCP");
  return `http://127.0.0.1:${address.port}/`;
}

describe("answers that arrive at the same time", () => {
  it("the transport passes on the heads of all simultaneous answers before the body of any of the answers", async () => {
    const url = await whenAsked(3, (sockets) => {
      for (const socket of sockets) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
    });
    const transport = createTransport();
    const done: string[] = [];
    const ask = async (): Promise<void> => {
      const { body } = await transport.send({ method: "GET", url, headers: {}, timeoutMs: 5_000 });
      done.push("head");
      body.discard();
      await Promise.resolve();
      done.push("body");
    };
    await Promise.all([ask(), ask(), ask()]);
    expect(done.slice(0, 3)).toEqual(["head", "head", "head"]);
    await transport.close();
  });
});

describe("an answer whose body breaks HTTP", () => {
  it("the transport returns the head of an answer even if the answer's body breaks HTTP, but reading the body fails", async () => {
    const url = await whenAsked(1, ([socket]) => {
      socket?.write("HTTP/1.1 404 Not Found\r\ntransfer-encoding: chunked\r\n\r\nno size\r\n");
    });
    const transport = createTransport();
    const ended: unknown[] = [];
    const { body, status } = await transport.send({
      method: "GET",
      url,
      headers: {},
      timeoutMs: 5_000,
      ended: ({ failure }) => void ended.push(failure?.phase),
    });
    expect(status).toBe(404);
    await expect(body.text(10)).rejects.toBeInstanceOf(TransportError);
    expect(ended).toEqual(["body"]);
    await transport.close();
  });
});
