import { once } from "node:events";
import { createServer, type Socket } from "node:net";

/** A loopback port that can be given up and taken again. */
export interface Address {
  /** `http://127.0.0.1:PORT`, without a slash at its end. */
  readonly baseUrl: string;
  /** Listens, if it does not yet; throws what the system says, such as EADDRINUSE. */
  listen(): Promise<void>;
  /** Lets nobody in from now on; resolves when the last connection is closed. */
  refuse(): Promise<void>;
}

/** Listens on a port, any free one when it is 0, and gives each connection away. */
export async function openAddress(port: number, serve: (socket: Socket) => void): Promise<Address> {
  // A caller that has ended its side still gets its answer.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, serve);

  async function listen(wanted: number): Promise<number> {
    server.listen(wanted, "127.0.0.1");
    await once(server, "listening");
    const bound = server.address();
    if (typeof bound !== "object" || bound === null) throw new TypeError("The insurer has no port");
    return bound.port;
  }

  const bound = await listen(port);
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
