import type { Socket } from "node:net";
import { expect, it, vi } from "vitest";
import type { ExchangeEnd } from "../../src/transport/index.ts";
import { bareServer, turns } from "../harness/bare-server.ts";
import { holdTime } from "../harness/held-time.ts";
import { NO_DEADLINE_MS, send } from "../harness/send.ts";

/** Half of a body: enough unread bytes to pause the connection. */
const PIECE = Buffer.alloc(20_000);
const LENGTH = 2 * PIECE.length;
const HEAD = `HTTP/1.1 200 OK\r\ncontent-length: ${LENGTH}\r\n\r\n`;

/** An answer of which the first piece has been read. */
interface BegunAnswer {
  readonly reader: AsyncIterator<Uint8Array>;
  /** The server's side of the connection. */
  readonly socket: Socket;
  /** Reports of the transport about the end of the answer. */
  readonly ends: readonly ExchangeEnd[];
}

async function beginReading(timeoutMs = NO_DEADLINE_MS): Promise<BegunAnswer> {
  const asked = Promise.withResolvers<Socket>();
  const url = await bareServer((socket) => socket.once("data", () => asked.resolve(socket)));
  const ends: ExchangeEnd[] = [];
  const answered = send(url, { timeoutMs, ended: (end) => void ends.push(end) });
  const socket = await asked.promise;
  socket.write(HEAD);
  socket.write(PIECE);
  const { body } = await answered;
  const reader = body.stream(LENGTH)[Symbol.asyncIterator]();
  let read = 0;
  while (read < PIECE.length) read += (await reader.next()).value?.byteLength ?? 0;
  return { reader, socket, ends };
}

it("a body that has arrived can be read completely, even if the server has already closed the connection", async () => {
  const { ends, reader, socket } = await beginReading();
  socket.write(PIECE);
  await turns();
  socket.end();
  await turns();
  let read = PIECE.length;
  for (let next = await reader.next(); next.done !== true; next = await reader.next())
    read += next.value.byteLength;
  expect([read, ends]).toEqual([LENGTH, [{ failure: null, heldUp: false }]]);
});

it("the transport reports a failed server, not a slow reader, if the server breaks off while the body is not read", async () => {
  const { ends, socket } = await beginReading();
  socket.write(PIECE.subarray(1));
  await turns();
  socket.resetAndDestroy();
  await expect.poll(() => ends).toMatchObject([{ failure: { reason: "failed" }, heldUp: false }]);
});

it("the transport reports a slow reader if the time limit passes while the body is not read", async () => {
  holdTime();
  const { ends, socket } = await beginReading(1_000);
  socket.write(PIECE.subarray(1));
  await turns();
  vi.advanceTimersByTime(1_000);
  await turns();
  expect(ends).toMatchObject([{ failure: { reason: "timeout" }, heldUp: true }]);
});
