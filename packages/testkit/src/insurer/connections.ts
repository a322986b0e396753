import type { Socket } from "node:net";

/** The insurer's open connections; some of them are idle. */
export interface Connections {
  add(socket: Socket): void;
  /** A request has begun on it. */
  busy(socket: Socket): void;
  /** Its request is answered, and it is kept alive. */
  idle(socket: Socket): void;
  /** Closes idle connections; resolves when their clients have noticed, so that none sends another request on one. */
  closeIdle(): Promise<void>;
  /** Resets the connections that are not idle; resolves when they are closed. */
  destroyBusy(): Promise<void>;
}

/** How long a client may take to notice that its connection was closed, in milliseconds. */
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

/** Resets the connection when more bytes arrive, which the HTTP parser does not process. */
export function resetOnMore(socket: Socket): void {
  // The HTTP parser reads as a listener too.
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
    // A request that arrives while the connection ends must count as never read.
    resetOnMore(socket);
    socket.end();
  });
}
