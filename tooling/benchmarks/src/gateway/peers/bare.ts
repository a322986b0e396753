import fastify from "fastify";
import { Pool } from "undici";

/**
 * The proxy that the gateway is compared with: fastify and undici's `dispatch`, whole answers, and nothing else: no check,
 * no token, no log.
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
      // Its parser gives a buffer, or nothing.
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
