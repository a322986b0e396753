import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { Server as TlsServer } from "node:tls";
import type { Connections } from "./connections.ts";

/** How often connections that have become idle are closed while draining. */
const LOOK_FOR_IDLE_EVERY_MS = 50;
/** So long after the longest call, what was answered may still be read. */
const READ_WITHIN_MS = 10_000;
/** How long a connection that has sent nothing yet may still begin. */
const FIRST_BYTES_WITHIN_MS = 1_000;

/**
 * Makes a server's drain. As long as the notice lasts, everything is taken as before, and every answer ends its
 * connection: a client that is sending requests learns it from an answer, and a connection that is closed afterwards is
 * one that nobody used during the notice. What a caller sends in the very moment of the closing is lost, as on every connection of
 * HTTP/1.1 (RFC 9112, section 9.3.1): without a notice, that can be anyone's.
 * @param longestCallMs - how long a call of any insurer may take, as it is set now
 */
export function createDrain(
  server: Server,
  connections: Connections,
  longestCallMs: () => number,
): (noticeMs: number) => Promise<void> {
  const silent = watchSilent(server);
  return async (noticeMs) => {
    connections.endAfterAnswers();
    if (server.listening) await wait(noticeMs);
    const idle = setInterval(() => connections.closeIdle(), LOOK_FOR_IDLE_EVERY_MS);
    const late = setTimeout(() => silent.close(), FIRST_BYTES_WITHIN_MS);
    // By then every call is over: a client that is still connected does not read its answer.
    const unread = setTimeout(() => server.closeAllConnections(), longestCallMs() + READ_WITHIN_MS);
    await closeListening(server);
    clearInterval(idle);
    clearTimeout(late);
    clearTimeout(unread);
  };
}

/**
 * Closes the listening socket and resolves when the last connection has ended. Node's own closing of an HTTP server
 * would also cut answers that are written and not read yet, and stop looking for requests that do not arrive in time.
 */
function closeListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // The only error is that it does not listen.
    NetServer.prototype.close.call(server, () => resolve());
  });
}

/** Knows the connections that have sent nothing since they were made, which Node does not count among the idle. */
function watchSilent(server: Server): { close(): void } {
  const fresh = new Set<Socket>();
  // Over TLS, a connection begins when the handshake is done; one that is not in time, Node closes itself.
  server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
    fresh.add(socket);
    socket.once("close", () => fresh.delete(socket));
  });
  server.on("request", ({ socket }) => fresh.delete(socket));
  return {
    close() {
      for (const socket of fresh) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}
