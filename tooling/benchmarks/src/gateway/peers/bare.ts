import fastify from "fastify";
import { Pool } from "undici";

/**
 * The bare proxy, with which the gateway is compared: fastify and undici's `dispatch` with buffered answers. The bare
 * proxy validates nothing, checks no token and writes no log.
 */
const pool = new Pool(process.env.INSURER ?? "", { connections: 64, pipelining: 1 });
const server = fastify();
server.removeAllContentTypeParsers();
server.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
server.all("*", (request, reply) => {
  const pieces: Buffer[] = [];
  const type = request.headers["content-type"];
  pool.dispatch(
    {
      path: request.url,
      method: request.method === "POST" ? "POST" : "GET",
      headers: type === undefined ? {} : { "content-type": type },
      // The parser returns a buffer, or nothing for a request without a body.
      body: (request.body as Buffer | undefined) ?? null,
    },
    {
      onRequestStart() {},
      onResponseStart(_, status, headers) {
        reply.code(status).header("content-type", headers["content-type"]);
      },
      onResponseData: (_, piece) => void pieces.push(piece),
      onResponseEnd: () => void reply.send(Buffer.concat(pieces)),
      onResponseError: (_, error) => void reply.send(error),
    },
  );
});
await server.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
