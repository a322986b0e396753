import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type ConnectionTransport,
  createTransport,
  type ExchangeEnd,
} from "../../src/transport/index.ts";

/** Half of a body: enough unread bytes to pause the connection. */
const PIECE = Buffer.alloc(20_000);
const LENGTH = 2 * PIECE.length;
const HEAD = `HTTP/1.1 200 OK\r\ncontent-length: ${LENGTH}\r\n\r\n`;

let server: Server;
let transport: ConnectionTransport;
let ends: ExchangeEnd[];
/** The server's side of the connection, after the request has arrived. */
let asked: Promise<Socket>;
beforeEach(async () => {
  const socket = Promise.withResolvers<Socket>();
  asked = socket.promise;
  server = createServer((connection) => {
    connection.on("error", () => undefined);
    connection.once("data", () => socket.resolve(connection));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  transport = createTransport();
  ends = [];
});
afterEach(async () => {
  await transport.close();
  server.close();
});

/** Starts to read an answer. Returns the reader after the first piece, and the server's side of the connection. */
async function beginReading(
  timeoutMs: number,
): Promise<{ readonly reader: AsyncIterator<Uint8Array>; readonly socket: Socket }> {
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("It listens on TCP");
  const answered = transport.send({
    method: "GET",
    url: `http://127.0.0.1:${address.port}/`,
    headers: {},
    timeoutMs,
    ended: (end) => void ends.push(end),
  });
  const socket = await asked;
  socket.write(HEAD);
  socket.write(PIECE);
  const { body } = await answered;
  const reader = body.stream(LENGTH)[Symbol.asyncIterator]();
  let read = 0;
  while (read < PIECE.length) read += (await reader.next()).value?.byteLength ?? 0;
  return { reader, socket };
}

/** Waits until the transport has read all bytes that have arrived. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
}

it("a body that has arrived can be read completely, even if the server has already closed the connection", async () => {
  const { reader, socket } = await beginReading(20_000);
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
  const { socket } = await beginReading(20_000);
  socket.write(PIECE.subarray(1));
  await turns();
  socket.resetAndDestroy();
  await expect.poll(() => ends).toMatchObject([{ failure: { reason: "failed" }, heldUp: false }]);
});

it("the transport reports a slow reader if the time limit passes while the body is not read", async () => {
  const { socket } = await beginReading(300);
  socket.write(PIECE.subarray(1));
  await expect.poll(() => ends).toMatchObject([{ failure: { reason: "timeout" }, heldUp: true }]);
});
