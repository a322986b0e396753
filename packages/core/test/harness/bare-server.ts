import { createServer, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { listen } from "./listen.ts";

/** Starts a TCP server that ends with the test. Returns its address. */
export async function bareServer(serve: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // Tests break connections on purpose.
    socket.on("error", () => undefined);
    serve(socket);
  });
  const address = await listen(server);
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return address;
}

/** An insurer on a TCP socket that answers one request after the other. */
export interface BareInsurer {
  readonly address: string;
  /** All connections so far, oldest first. */
  readonly connections: readonly Socket[];
  /** Requests of each connection, as `GET /path`. */
  readonly requests: readonly (readonly string[])[];
}

/** Answers each request with the bytes that `answer` returns for it. The requests have no body. */
export async function bareInsurer(answer: (request: string) => string): Promise<BareInsurer> {
  const connections: Socket[] = [];
  const requests: string[][] = [];
  const address = await bareServer((socket) => {
    const received: string[] = [];
    connections.push(socket);
    requests.push(received);
    socket.on("data", (chunk: Buffer) => {
      const [request = ""] = chunk.toString("latin1").split(" HTTP/1.1");
      received.push(request);
      socket.write(answer(request));
    });
  });
  return { address, connections, requests };
}

/** Returns an HTTP answer as bytes. */
export function ok(body: string, ...headers: readonly string[]): string {
  const lines = ["HTTP/1.1 200 OK", `content-length: ${body.length}`, ...headers];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** Waits some turns of the event loop, so that all bytes that have arrived are processed. */
export async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate();
}
