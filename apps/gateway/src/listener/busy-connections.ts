import type { Server } from "node:http";
import type { Duplex } from "node:stream";

/** Knows which connections have a request that is not answered yet. */
export interface BusyConnections {
  isBusy(connection: Duplex): boolean;
  /** Ends a connection once everything on it has been answered. */
  endWhenAnswered(connection: Duplex): void;
}

/** Watches the requests of a server. */
export function watchConnections(server: Server): BusyConnections {
  const unanswered = new WeakMap<Duplex, number>();
  const ending = new WeakSet<Duplex>();
  server.on("request", ({ socket }, response) => {
    unanswered.set(socket, (unanswered.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = (unanswered.get(socket) ?? 1) - 1;
      unanswered.set(socket, left);
      if (left === 0 && ending.has(socket)) socket.end();
    });
  });
  return {
    isBusy: (connection) => (unanswered.get(connection) ?? 0) > 0,
    endWhenAnswered: (connection) => void ending.add(connection),
  };
}
