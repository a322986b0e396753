import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Pool } from "undici";

/**
 * The connections to the insurer of a proxy like the bare proxy, but without fastify: the difference is fastify's cost.
 */
const pool = new Pool(process.env.INSURER ?? "", { connections: 64, pipelining: 1 });

createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => void pieces.push(piece));
  request.on("end", () => forward(request, Buffer.concat(pieces), response));
}).listen(Number(process.env.PORT), "127.0.0.1");

function forward(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const pieces: Buffer[] = [];
  const type = request.headers["content-type"];
  pool.dispatch(
    {
      path: request.url ?? "",
      method: request.method === "POST" ? "POST" : "GET",
      headers: type === undefined ? {} : { "content-type": type },
      body: body.length === 0 ? null : body,
    },
    {
      onRequestStart() {},
      onResponseStart(_, status, headers) {
        response.statusCode = status;
        response.setHeader("content-type", headers["content-type"] ?? "");
      },
      onResponseData: (_, piece) => void pieces.push(piece),
      onResponseEnd() {
        const content = Buffer.concat(pieces);
        response.setHeader("content-length", content.length).end(content);
      },
      onResponseError: () => void response.destroy(),
    },
  );
}
