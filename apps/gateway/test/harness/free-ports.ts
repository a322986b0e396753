import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Returns ports that no process uses, so that a gateway can use the same port before and after a restart. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  // A server that listens on TCP has an address with a port.
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) server.close();
  return ports;
}
