import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { TransportError } from "../../src/transport/index.ts";
import { bareServer } from "../harness/bare-server.ts";
import { NO_DEADLINE_MS, send, transport } from "../harness/send.ts";

/** Starts a server that calls `act` with all connections when a number of these connections have sent a request. */
function whenAsked(times: number, act: (sockets: readonly Socket[]) => void): Promise<string> {
  const asked: Socket[] = [];
  return bareServer((socket) => {
    socket.once("data", () => {
      if (asked.push(socket) === times) act(asked);
    });
  });
}

it("the transport passes on the heads of all simultaneous answers before the body of any of the answers", async () => {
  const url = await whenAsked(3, (sockets) => {
    for (const socket of sockets) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
  });
  const one = transport();
  const done: string[] = [];
  const ask = async (): Promise<void> => {
    const request = { method: "GET", url, headers: {}, timeoutMs: NO_DEADLINE_MS };
    const { body } = await one.send(request);
    done.push("head");
    body.discard();
    await Promise.resolve();
    done.push("body");
  };
  await Promise.all([ask(), ask(), ask()]);
  expect(done.slice(0, 3)).toEqual(["head", "head", "head"]);
});

it("the transport returns the head of an answer even if the answer's body breaks HTTP, but reading the body fails", async () => {
  const url = await whenAsked(1, ([socket]) => {
    socket?.write("HTTP/1.1 404 Not Found\r\ntransfer-encoding: chunked\r\n\r\nno size\r\n");
  });
  const ended: unknown[] = [];
  const { body, status } = await send(url, {
    ended: ({ failure }) => void ended.push(failure?.phase),
  });
  expect(status).toBe(404);
  await expect(body.text(10)).rejects.toBeInstanceOf(TransportError);
  expect(ended).toEqual(["body"]);
});
