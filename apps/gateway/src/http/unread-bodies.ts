import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";

/** Maximum bytes of a request's body that the gateway reads after an early answer. */
const MAX_UNREAD_BYTES = 64 * 1_024;
/** Time in which a caller must read the last answer of a connection and close the connection, in milliseconds. */
const CLOSE_WITHIN_MS = 2_000;

/**
 * Limits how much a server reads of unwanted bodies. The server receives a large body, and sends `100 Continue` (RFC
 * 9110, section 10.1.1), only if the gateway reads the body. After its last answer, a connection ends with
 * `endConnection`. Must be called before other listeners are added to the server.
 */
export function limitUnreadBodies(server: Server): void {
  server.on("request", (request) => {
    // Node would buffer 64 kB of a body: in chunks of one byte, these are 65,536 pieces, which take 100 ms of processor
    // time. The connection resumes when the body is read, or when Node has reached the body's end.
    if (mayBeLarge(request)) request.socket.pause();
  });
  server.on("checkContinue", (request, response) => {
    const proceed = (): void => {
      request.off("resume", proceed).off("end", proceed);
      // Node also reads the rest of a body after an early answer; `100 Continue` is then too late.
      if (!response.headersSent) response.writeContinue();
    };
    // A reader of pieces causes the event `resume`; a reader of the whole body causes `end`.
    request.on("resume", proceed).on("end", proceed);
    server.emit("request", request, response);
  });
  // A request with an unsupported `Expect` header must reach the guard step, which refuses the request.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
    // Node calls this method after the last answer of a connection. Node's own method resets the connection of a caller
    // that is still sending.
    socket.destroySoon = () => endConnection(socket);
  });
}

/** Makes the answer end the connection if the unread rest of the request is too large. Call this before the answer. */
export function endConnectionIfUnread(request: IncomingMessage, response: ServerResponse): void {
  if (!request.complete && !response.headersSent && mayBeLarge(request))
    response.setHeader("connection", "close");
}

/** Reports whether a body may be too large to read after an early answer; a chunked body always may be. */
function mayBeLarge({ headers }: IncomingMessage): boolean {
  return (
    headers["transfer-encoding"] !== undefined ||
    Number(headers["content-length"]) > MAX_UNREAD_BYTES
  );
}

/**
 * Ends a connection after everything is written, and gives the caller time to read: the connection is closed for
 * writing, at most 64 kB of further bytes are read and dropped, and after two seconds the connection is destroyed. A
 * connection that is destroyed with unread bytes is reset, and a caller that is still sending may then lose the answer
 * (RFC 9112, section 9.6).
 */
export function endConnection(socket: Socket): void {
  if (socket.readableEnded) Socket.prototype.destroySoon.call(socket);
  if (socket.writableEnded) return;
  const from = socket.bytesRead;
  socket
    // From here on, Node parses no further request of this connection.
    .removeAllListeners("data")
    .on("data", () => {
      if (socket.bytesRead - from >= MAX_UNREAD_BYTES) socket.pause();
    })
    .once("end", () => socket.destroy())
    .resume();
  socket.end(() => {
    const timer = setTimeout(() => socket.destroy(), CLOSE_WITHIN_MS);
    socket.once("close", () => clearTimeout(timer));
  });
}
