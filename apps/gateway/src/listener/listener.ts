import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { ListenConfiguration } from "../configuration/file.ts";
import type { Pipeline } from "../pipeline.ts";
import { problemOf } from "../problems/problem.ts";
import { Refusal } from "../problems/refusal.ts";
import { createDrain } from "./drain.ts";
import type { Exchange } from "./exchange.ts";
import { logRequest } from "./request-log.ts";

/** A JSON body may have this many bytes. */
const MAXIMUM_BODY_BYTES = 64 * 1024;
/** All headers of a request together may have this many bytes. */
const MAXIMUM_HEADER_BYTES = 16 * 1024;

/** The address for callers. */
export interface Listener {
  /** Begins to listen and gives the address. */
  listen(place: ListenConfiguration): Promise<string>;
  /** Takes no new connection, finishes what is in flight, and closes every connection as it becomes idle. */
  drain(): Promise<void>;
}

/** Makes the listener: fastify reads HTTP, keeps the limits and the lifecycle; the pipeline does the rest. */
export function createListener(pipeline: Pipeline, logger: Logger, basePath: string): Listener {
  let draining = false;
  const arrive = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.exchange = {} satisfies Exchange;
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    if (draining) reply.header("connection", "close");
    await pipeline.arrive(request);
  };
  const server = fastify({
    bodyLimit: MAXIMUM_BODY_BYTES,
    http: { maxHeaderSize: MAXIMUM_HEADER_BYTES },
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    exposeHeadRoutes: false,
    genReqId: () => randomUUID(),
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, basePath),
    // A path that cannot be decoded: who sends it must still have a token to learn so.
    frameworkErrors: (_, request, reply) =>
      void arrive(request, reply)
        .then(() => pipeline.serve(request, reply))
        .catch((error: unknown) => pipeline.refuse(error, request, reply)),
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
  server.addHook("onRequest", arrive);
  server.addHook("onResponse", async (request, reply) => logRequest(logger, request, reply));
  server.all("*", (request, reply) => pipeline.serve(request, reply));
  server.setNotFoundHandler((request, reply) => pipeline.serve(request, reply));
  server.setErrorHandler((error, request, reply) => pipeline.refuse(error, request, reply));
  const drain = createDrain(server.server, () => server.close());
  return {
    listen: ({ host, port }) => server.listen({ host, port }),
    drain() {
      draining = true;
      return drain();
    },
  };
}

/** Answers a connection whose bytes are not HTTP, or whose headers are too large, and closes it. */
function refuseConnection(
  error: { readonly code?: string },
  socket: Socket,
  basePath: string,
): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal =
    error.code === "HPE_HEADER_OVERFLOW"
      ? new Refusal("HEADERS_TOO_LARGE", { detail: "The headers may have at most 16 kB." })
      : new Refusal("INVALID_REQUEST", { detail: "The request is not well-formed HTTP/1.1." });
  const problem = problemOf(refusal, { requestId: randomUUID(), provider: null, basePath });
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.status === 431 ? "Request Header Fields Too Large" : "Bad Request"}\r\n` +
      `content-type: application/problem+json; charset=utf-8\r\nx-request-id: ${problem.requestId}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
