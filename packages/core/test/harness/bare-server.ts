import { createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { listen } from "./listen.ts";

/** Serves below HTTP until the test ends. Returns its address. */
export async function bareServer(serve: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // Connections are broken on purpose here.
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

/** An insurer below HTTP that answers request after request. */
export interface BareInsurer {
  readonly address: string;
  /** Its connections so far, oldest first. */
  readonly connections: readonly Socket[];
  /** The requests of each connection, as `GET /path`. */
  readonly requests: readonly (readonly string[])[];
}

/** Answers each request with the bytes that are returned for it; requests have no body. */
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

/** An answer as bytes. */
export function ok(body: string, ...headers: readonly string[]): string {
  const lines = ["HTTP/1.1 200 OK", `content-length: ${body.length}`, ...headers];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
