import proxy from "@fastify/http-proxy";
import fastify from "fastify";

/** A proxy as in the documentation of @fastify/http-proxy. */
const server = fastify();
await server.register(proxy, {
  upstream: process.env.INSURER ?? "",
  undici: { connections: 64, pipelining: 1 },
});
await server.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
