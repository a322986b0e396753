import { randomUUID } from "node:crypto";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { LimitsConfiguration, ListenConfiguration } from "../configuration/file.ts";
import type { Pipeline } from "../pipeline.ts";
import { watchConnections } from "./busy-connections.ts";
import { createDrain } from "./drain.ts";
import type { Exchange } from "./exchange.ts";
import { type RefusingParts, refuseConnection, refuseExpectation } from "./refuse-unread.ts";
import { logUnread, logWhenDone } from "./request-log.ts";

/** What the listener is made of. */
export interface ListenerParts {
  readonly pipeline: Pipeline;
  readonly logger: Logger;
  readonly basePath: string;
  readonly limits: LimitsConfiguration;
  /** The load balancers whose X-Forwarded-For is believed: addresses or CIDR ranges. */
  readonly trustedProxies: readonly string[];
  /** The certificate that callers are shown, in PEM; null for plain HTTP. */
  readonly tls: { readonly certificate: string; readonly key: string } | null;
}

/** The address for callers. */
export interface Listener {
  /** Begins to listen and gives the address. */
  listen(place: ListenConfiguration): Promise<string>;
  /** Takes no new connection, finishes what is in flight, and closes every connection as it becomes idle. */
  drain(): Promise<void>;
}

/** Makes the listener: fastify reads HTTP, keeps the limits and the lifecycle; the pipeline does the rest. */
export function createListener({ pipeline, logger, basePath, limits }: ListenerParts): Listener {
  let draining = false;
  const arrive = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.exchange = {} satisfies Exchange;
    request.exchange.done = logWhenDone(logger, request, reply);
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    if (draining) reply.header("connection", "close");
    await pipeline.arrive(request);
  };
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const answered = await pipeline.serve(request, reply);
    request.exchange.done?.();
    return answered;
  };
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const answered = pipeline.refuse(error, request, reply);
    request.exchange.done?.();
    return answered;
  };
  const server = fastify({
    bodyLimit: limits.bodyBytes,
    // A missing Host is refused by the pipeline, with a problem.
    http: { maxHeaderSize: limits.headerBytes, requireHostHeader: false },
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    exposeHeadRoutes: false,
    genReqId: () => randomUUID(),
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, refusing),
    // A path that cannot be decoded: who sends it must still have a token to learn so.
    frameworkErrors: (_, request, reply) =>
      void arrive(request, reply)
        .then(() => serve(request, reply))
        .catch((error: unknown) => refuse(error, request, reply)),
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
  server.addHook("onRequest", arrive);
  server.all("*", serve);
  server.setNotFoundHandler(serve);
  server.setErrorHandler((error, request, reply) => refuse(error, request, reply));
  const refusing: RefusingParts = {
    basePath,
    busy: watchConnections(server.server),
    refused: (problem) => logUnread(logger, problem),
  };
  server.server.on("checkExpectation", (_, response) => refuseExpectation(response, refusing));
  const drain = createDrain(server.server, () => server.close());
  return {
    listen: ({ host, port }) => server.listen({ host, port }),
    drain() {
      draining = true;
      return drain();
    },
  };
}
