import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/**
 * A proxy in front of a gateway that forwards every request and loses the answer to every submission. It stops at the
 * end of the test.
 */
export async function startAnswerLoser(gateway: string): Promise<string> {
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method = "GET", url = "" } = request;
    const body = method === "GET" ? null : await buffer(request);
    const passed = ["authorization", "content-type", "idempotency-key"].flatMap((name) =>
      typeof headers[name] === "string" ? [[name, headers[name]] as [string, string]] : [],
    );
    const answer = await fetch(gateway + url, { method, headers: passed, body });
    const content = Buffer.from(await answer.arrayBuffer());
    if (url.endsWith("/applications")) return void response.socket?.resetAndDestroy();
    const mediaType = answer.headers.get("content-type") ?? "";
    response.writeHead(answer.status, { "content-type": mediaType }).end(content);
  }

  const server = createServer((request, response) => void pass(request, response));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const bound = server.address();
  if (typeof bound !== "object" || bound === null) throw new TypeError("The server has no port");
  return `http://127.0.0.1:${bound.port}`;
}
