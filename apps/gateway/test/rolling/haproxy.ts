import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePorts } from "../harness/free-ports.ts";

/** Ports of a gateway behind the load balancer. */
export interface Server {
  /** Port for callers' requests. */
  readonly port: number;
  /** Port for the load balancer's readiness checks. */
  readonly operationsPort: number;
}

/** A running haproxy, which is a real load balancer. */
export interface Haproxy {
  readonly address: string;
  stop(): Promise<void>;
}

/**
 * Starts haproxy before gateways, with the configuration of docs/deploying.md.
 * @throws Error if haproxy is not installed
 */
export async function startHaproxy(folder: string, servers: readonly Server[]): Promise<Haproxy> {
  const [port] = await freePorts(1);
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, configurationOf(Number(port), servers));
  const child = spawn("haproxy", ["-db", "-f", file], { stdio: ["ignore", "ignore", "inherit"] });
  const failed = once(child, "error").then(() => {
    throw new Error("haproxy is not installed: apt-get install haproxy");
  });
  await Promise.race([once(child, "spawn"), failed]);
  await acceptsConnections(Number(port));
  return { address: `http://127.0.0.1:${port}`, stop: () => end(child) };
}

/** Waits until a process accepts connections on a port. */
async function acceptsConnections(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const connected = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (connected) return;
    await setTimeout(20);
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

function configurationOf(port: number, servers: readonly Server[]): string {
  const lines = servers.map(
    (server, index) =>
      `  server gateway-${index} 127.0.0.1:${server.port} check port ${server.operationsPort} inter 200ms fall 2 rise 1`,
  );
  return `defaults
  mode http
  timeout connect 5s
  timeout check 5s
  timeout client 30s
  timeout server 60s
  option redispatch
  retries 3
  retry-on conn-failure
frontend callers
  bind 127.0.0.1:${port}
  default_backend gateways
backend gateways
  balance roundrobin
  option httpchk
  http-check send meth GET uri /health/ready ver HTTP/1.1 hdr Host localhost
  http-check expect status 200
${lines.join("\n")}
`;
}
