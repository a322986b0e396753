import { createServer, request } from "node:https";
import fastify, { type FastifyInstance } from "fastify";
import { generate } from "selfsigned";
import { expect, it, onTestFinished } from "vitest";
import { serveConnections } from "../../src/operations/connection-routes.ts";

const TOKEN = "operator-token-7c1d";
const ELSEWHERE = "192.0.2.7";

/** Serves the routes to a machine at another address, and returns where. */
async function serveElsewhere(server: FastifyInstance): Promise<string> {
  onTestFinished(() => server.close());
  server.addHook("onRequest", async ({ raw }) => {
    Object.defineProperty(raw.socket, "remoteAddress", { value: ELSEWHERE });
  });
  serveConnections(server, {
    token: () => TOKEN,
    // Who is let in reads that the store cannot be reached.
    administration: () => null,
    verify: async () => [],
  });
  return server.listen({ host: "127.0.0.1", port: 0 });
}

const headers = { authorization: `Bearer ${TOKEN}` };

it("connections are not administered from another machine without TLS", async () => {
  const address = await serveElsewhere(fastify());
  const answer = await fetch(`${address}/connections`, { headers });
  expect(answer.status).toBe(403);
});

it("connections are administered from another machine over TLS", async () => {
  const { cert, private: key } = await generate([{ name: "commonName", value: "operator" }]);
  const server = fastify({
    serverFactory: (handler) => createServer({ cert, key }, handler),
  });
  const address = await serveElsewhere(server);
  const answered = Promise.withResolvers<number | undefined>();
  const asked = request(`${address.replace("http:", "https:")}/connections`, {
    headers,
    ca: cert,
    rejectUnauthorized: false,
  });
  asked.once("response", (response) => answered.resolve(response.statusCode));
  asked.end();
  expect(await answered.promise).toBe(503);
});
