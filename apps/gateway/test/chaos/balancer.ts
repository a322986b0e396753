import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A load balancer before the replicas, which forwards connections and does not read the requests. */
export interface Balancer {
  /** `http://127.0.0.1:PORT` */
  readonly address: string;
  /** Returns the number of connections that the replica with this address has accepted. */
  taken(target: string): number;
  close(): Promise<void>;
}

/**
 * Starts a load balancer that uses the replicas in turn. If a replica accepts no connection, the load balancer uses the
 * next replica. Each request reaches only one replica.
 * @param targets - returns the addresses of the current replicas
 */
export async function startBalancer(targets: () => readonly string[]): Promise<Balancer> {
  const open = new Set<Socket>();
  const taken = new Map<string, number>();
  let turn = 0;
  const server = createServer({ pauseOnConnect: true }, (caller) => {
    turn += 1;
    open.add(caller);
    caller.once("close", () => open.delete(caller)).on("error", () => undefined);
    const now = targets();
    const first = now.length === 0 ? 0 : turn % now.length;
    void passOn(caller, [...now.slice(first), ...now.slice(0, first)]);
  });

  async function passOn(caller: Socket, order: readonly string[]): Promise<void> {
    for (const target of order) {
      const replica = await reach(target);
      if (replica === null) continue;
      taken.set(target, (taken.get(target) ?? 0) + 1);
      replica.on("error", () => caller.destroy());
      caller.once("close", () => replica.destroy());
      if (caller.destroyed) replica.destroy();
      caller.pipe(replica).pipe(caller);
      return;
    }
    caller.destroy();
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    taken: (target) => taken.get(target) ?? 0,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Connects to a replica; returns null if the replica accepts no connection. */
function reach(target: string): Promise<Socket | null> {
  const { hostname, port } = new URL(target);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once("connect", () => resolve(socket)).once("error", () => resolve(null));
  });
}
