import type { Socket } from "node:net";
import { bodyOf, headOf } from "./answer-on-the-wire.ts";
import type { WireFaultName } from "./fault-names.ts";
import type { InsurerAnswer } from "./insurer.ts";

/** A fault that replaces a complete answer after the request was read. */
export type WireFault =
  | {
      /** The rest of a sentence that begins with "the insurer". */
      readonly description: string;
      readonly executes: false;
      act(socket: Socket): void;
    }
  | {
      /** The rest of a sentence that begins with "the insurer". */
      readonly description: string;
      readonly executes: true;
      act(socket: Socket, answer: InsurerAnswer, lateAfterMs: number): void;
    };

/** Delay before each byte of a slow answer, in milliseconds. */
const DRIP_MS = 50;

/** The faults of the transferred bytes: answers that are cut off, late or missing. */
export const wireFaults: Readonly<Record<WireFaultName, WireFault>> = {
  silence: {
    description: "reads the request, does nothing and never answers",
    executes: false,
    act: neverAnswer,
  },
  "reset-after-request": {
    description: "resets the connection once it has read the request",
    executes: false,
    act: reset,
  },
  "execute-then-reset": {
    description: "carries the request out and resets the connection instead of answering",
    executes: true,
    act: reset,
  },
  "reset-within-headers": {
    description: "carries the request out and resets the connection within the answer's headers",
    executes: true,
    act(socket, answer) {
      const head = headOf(answer, { "content-length": String(bodyOf(answer).byteLength) });
      writeThenReset(socket, head.subarray(0, head.byteLength / 2));
    },
  },
  "half-body": {
    description:
      "carries the request out and resets the connection in the middle of the answer's body",
    executes: true,
    act(socket, answer) {
      const body = bodyOf(answer);
      // An empty body would be complete, so the header announces one byte.
      const head = headOf(answer, { "content-length": String(Math.max(body.byteLength, 1)) });
      writeThenReset(socket, Buffer.concat([head, body.subarray(0, body.byteLength / 2)]));
    },
  },
  "wrong-length": {
    description:
      "carries the request out and ends the connection after an answer that is shorter than it announced",
    executes: true,
    act(socket, answer) {
      const body = bodyOf(answer);
      const head = headOf(answer, { "content-length": String(body.byteLength + 1) });
      socket.end(Buffer.concat([head, body]));
    },
  },
  "chunked-cut": {
    description:
      "carries the request out and ends the connection after a chunked answer without its last chunk",
    executes: true,
    act(socket, answer) {
      const head = headOf(answer, { "transfer-encoding": "chunked" });
      socket.end(Buffer.concat([head, ...chunkOf(bodyOf(answer))]));
    },
  },
  "slow-drip": {
    description: "carries the request out and answers one byte every 50 milliseconds",
    executes: true,
    act(socket, answer) {
      drip(socket, wholeOf(answer));
    },
  },
  "late-answer": {
    description: "carries the request out and answers only after every deadline",
    executes: true,
    act(socket, answer, lateAfterMs) {
      // The connection may have closed while the insurer carried the request out. Then no further close event follows.
      if (socket.destroyed) return;
      const timer = setTimeout(() => socket.end(wholeOf(answer)), lateAfterMs).unref();
      socket.once("close", () => clearTimeout(timer));
    },
  },
};

/** Sends nothing. The connection stays open until the client disconnects or the insurer closes. */
function neverAnswer(): void {}

function reset(socket: Socket): void {
  socket.resetAndDestroy();
}

function writeThenReset(socket: Socket, bytes: Uint8Array): void {
  socket.write(bytes, () => socket.resetAndDestroy());
}

/** Returns the chunk of a body. An empty chunk would be the last chunk, so an empty body has no chunk. */
function chunkOf(body: Buffer): readonly Buffer[] {
  const size = `${body.byteLength.toString(16)}\r\n`;
  return body.byteLength === 0 ? [] : [Buffer.from(size), body, Buffer.from("\r\n")];
}

function wholeOf(answer: InsurerAnswer): Buffer {
  const body = bodyOf(answer);
  return Buffer.concat([headOf(answer, { "content-length": String(body.byteLength) }), body]);
}

function drip(socket: Socket, bytes: Uint8Array): void {
  if (socket.destroyed) return;
  let sent = 0;
  const timer = setInterval(() => {
    socket.write(bytes.subarray(sent, sent + 1));
    sent += 1;
    if (sent < bytes.byteLength) return;
    clearInterval(timer);
    socket.end();
  }, DRIP_MS);
  socket.once("close", () => clearInterval(timer));
}
