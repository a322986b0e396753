import type { Socket } from "node:net";

/** The open connections of the insurer, idle or in use. */
export interface Connections {
  add(socket: Socket): void;
  /** Marks a connection as in use by a request. */
  busy(socket: Socket): void;
  /** Marks a connection as idle: the request is answered, and the connection stays open. */
  idle(socket: Socket): void;
  /**
   * Closes the idle connections. Resolves when the clients have noticed the closing and cannot send requests on these
   * connections.
   */
  closeIdle(): Promise<void>;
  /** Resets the connections in use. Resolves when they are closed. */
  destroyBusy(): Promise<void>;
}

/** Longest wait for a client to close its side of a closed connection, in milliseconds. */
const PATIENCE_MS = 1_000;

/** Manages the connections of one insurer. */
export function createConnections(): Connections {
  const open = new Set<Socket>();
  const waiting = new Set<Socket>();
  return {
    add(socket) {
      open.add(socket);
      socket.once("close", () => {
        open.delete(socket);
        waiting.delete(socket);
      });
    },
    busy: (socket) => void waiting.delete(socket),
    idle: (socket) => void (open.has(socket) && waiting.add(socket)),
    closeIdle: async () => void (await Promise.all([...waiting].map(close))),
    async destroyBusy() {
      const busy = [...open].filter((socket) => !waiting.has(socket));
      await Promise.all(busy.map(destroy));
    },
  };
}

/** Resets the connection when further bytes arrive. The HTTP parser does not process these bytes. */
export function resetOnMore(socket: Socket): void {
  // The HTTP parser is one of the removed listeners.
  socket.removeAllListeners("data");
  socket.on("data", () => socket.resetAndDestroy());
  socket.resume();
}

function destroy(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("close", () => resolve()).destroy();
  });
}

function close(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
    socket.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    // A request that arrives while the connection closes must stay unread.
    resetOnMore(socket);
    socket.end();
  });
}
