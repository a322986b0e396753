import type { Server } from "node:http";
import type { Socket } from "node:net";

/** How often connections that have become idle are closed while draining. */
const LOOK_FOR_IDLE_EVERY_MS = 50;
/** How long a connection that has not sent a request yet may still do so. */
const FIRST_REQUEST_WITHIN_MS = 1_000;

/**
 * Makes a server's drain. Node closes the connections that are idle at that moment, but keeps one that becomes
 * idle a moment later, and for a minute one that was opened and has never sent a request.
 * @param close - stops taking connections and resolves when the last one has ended
 */
export function createDrain(server: Server, close: () => Promise<void>): () => Promise<void> {
  const fresh = new Set<Socket>();
  server.on("connection", (socket) => {
    fresh.add(socket);
    socket.once("close", () => fresh.delete(socket));
  });
  server.on("request", ({ socket }) => fresh.delete(socket));
  return async () => {
    const idle = setInterval(() => server.closeIdleConnections(), LOOK_FOR_IDLE_EVERY_MS);
    const silent = setTimeout(() => {
      for (const socket of fresh) socket.destroy();
    }, FIRST_REQUEST_WITHIN_MS);
    await close();
    clearInterval(idle);
    clearTimeout(silent);
  };
}
