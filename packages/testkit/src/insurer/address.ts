import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";

/** A loopback address whose port can be closed and opened again. */
export interface Address {
  /** The address `http://127.0.0.1:PORT`, without a slash at its end. */
  readonly baseUrl: string;
  /** Opens the port, unless it is open. Throws the system's error, such as EADDRINUSE. */
  listen(): Promise<void>;
  /** Closes the port. Resolves when the last connection is closed. */
  refuse(): Promise<void>;
}

/** Yields random ports below the range that systems assign, so that a port stays free while it is closed. */
export function* portsToKeep(): Generator<number, never> {
  for (;;) yield randomInt(20_000, 32_768);
}

/**
 * Listens on the first free port, and passes each connection to the callback.
 * @throws the system's error if no port is free
 */
export async function openAddress(
  ports: Iterable<number>,
  serve: (socket: Socket) => void,
): Promise<Address> {
  const server = createServer(serve);

  async function listen(port: number): Promise<void> {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  }

  async function listenOnFirst(): Promise<number> {
    let inUse: unknown = new TypeError("There is no port to listen on");
    for (const port of ports)
      try {
        await listen(port);
        return port;
      } catch (error) {
        if (!isAddressInUse(error)) throw error;
        inUse = error;
      }
    throw inUse;
  }

  const bound = await listenOnFirst();
  return {
    baseUrl: `http://127.0.0.1:${bound}`,
    async listen() {
      if (!server.listening) await listen(bound);
    },
    async refuse() {
      if (!server.listening) return;
      server.close();
      await once(server, "close");
    },
  };
}

function isAddressInUse(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}
