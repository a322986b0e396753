import { createServer, request as send } from "node:http";
import { connect as dial } from "node:net";
import { onTestFinished } from "vitest";
import { listen } from "../harness/listen.ts";

/** A forward proxy. */
export interface Proxy {
  readonly address: string;
  /** Requests to the proxy: `CONNECT gateway.test:443`, `GET http://gateway.test/brands`. */
  readonly requests: readonly string[];
  /** The header `proxy-authorization` of each request. */
  readonly credentials: readonly (string | undefined)[];
}

/** Starts a proxy that forwards every request to one server, regardless of the host, or refuses it with a status. */
export async function forwardProxy(server: string, refusal?: number): Promise<Proxy> {
  const requests: string[] = [];
  const credentials: (string | undefined)[] = [];
  const { hostname, port } = new URL(server);
  const proxy = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    credentials.push(request.headers["proxy-authorization"]);
    if (refusal !== undefined) return void response.writeHead(refusal).end();
    const { headers, method, url = "" } = request;
    const forwarded = send({ hostname, port, method, path: new URL(url).pathname, headers });
    forwarded.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  });
  proxy.on("connect", (request, socket) => {
    requests.push(`CONNECT ${request.url}`);
    credentials.push(request.headers["proxy-authorization"]);
    if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal} Refused\r\n\r\n`);
    const tunnel = dial(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connected\r\n\r\n");
      tunnel.pipe(socket).pipe(tunnel);
    });
    for (const one of [socket, tunnel]) one.on("error", () => tunnel.destroy());
    socket.on("close", () => tunnel.destroy());
  });
  const address = await listen(proxy);
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return { address, requests, credentials };
}
