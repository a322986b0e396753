import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";

/** Maximum bytes of a body that are read after an early answer. */
const MOST_BYTES = 64 * 1_024;
/** How long a caller may take to read the last answer of a connection and close it, in milliseconds. */
const FAREWELL_MS = 2_000;

/**
 * Limits how much a server reads of unwanted bodies: a large body arrives only while it is read, `100 Continue` is
 * sent only then (RFC 9110, section 10.1.1), and a connection ends after its last answer with `endConnection`. Must
 * be called before the server has other listeners.
 */
export function limitUnreadBodies(server: Server): void {
  server.on("request", (request) => {
    // Node would keep 64 kB of a body in memory: in chunks of one byte, 65,536 pieces, which take 100 ms of processor
    // time. A reader of the body, and Node after the body's end, resumes the connection.
    if (isLarge(request)) request.socket.pause();
  });
  server.on("checkContinue", (request, response) => {
    const proceed = (): void => {
      request.off("resume", proceed).off("end", proceed);
      // Node also reads the rest of a body after an answer.
      if (!response.headersSent) response.writeContinue();
    };
    // Reading piece by piece causes the first event; reading the whole body, the second.
    request.on("resume", proceed).on("end", proceed);
    server.emit("request", request, response);
  });
  // The guard refuses the expectation.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
    // Node calls this method after the last answer. Its own method resets the connection of a caller that is still
    // sending.
    socket.destroySoon = () => endConnection(socket);
  });
}

/** Ends the connection with the answer if the rest of the request is too large. Must be called before the answer. */
export function endIfUnread(request: IncomingMessage, response: ServerResponse): void {
  if (!request.complete && !response.headersSent && isLarge(request))
    response.setHeader("connection", "close");
}

/** Reports whether a body may be too large to be read after an early answer, as a chunked body may be. */
function isLarge({ headers }: IncomingMessage): boolean {
  return (
    headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > MOST_BYTES
  );
}

/**
 * Ends a connection as soon as everything is written, and gives its caller time to read it: the connection is closed
 * for writing, at most 64 kB of further bytes are read and dropped, and after two seconds it is destroyed. A
 * connection that is destroyed with unread bytes is reset, and a caller that is still sending may then lose the
 * answer (RFC 9112, section 9.6).
 */
export function endConnection(socket: Socket): void {
  if (socket.readableEnded) Socket.prototype.destroySoon.call(socket);
  if (socket.writableEnded) return;
  const from = socket.bytesRead;
  socket
    // From here on, nothing is parsed.
    .removeAllListeners("data")
    .on("data", () => {
      if (socket.bytesRead - from >= MOST_BYTES) socket.pause();
    })
    .once("end", () => socket.destroy())
    .resume();
  socket.end(() => {
    const timer = setTimeout(() => socket.destroy(), FAREWELL_MS);
    socket.once("close", () => clearTimeout(timer));
  });
}
