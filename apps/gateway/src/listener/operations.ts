import fastify, { type FastifyInstance } from "fastify";

/** Makes the operations listener: the address for the operator's tools, apart from the callers'. */
export function createOperations(isReady: () => boolean): FastifyInstance {
  const server = fastify({ forceCloseConnections: true });
  server.get("/health/live", async () => ({ status: "live" }));
  server.get("/health/ready", async (_, reply) =>
    isReady() ? { status: "ready" } : reply.code(503).send({ status: "not ready" }),
  );
  return server;
}
