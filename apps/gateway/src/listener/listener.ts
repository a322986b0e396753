import { randomUUID } from "node:crypto";
import { type IncomingMessage, METHODS } from "node:http";
import fastify, { type FastifyRequest } from "fastify";
import type { Certificate } from "../configuration/certificate.ts";
import type { LimitsConfiguration, ListenConfiguration } from "../configuration/file.ts";
import type { Logger } from "../logging/logger.ts";
import type { Observation } from "../observation/observation.ts";
import type { Pipeline, RequestSettings } from "../pipeline.ts";
import type { Held } from "../reload/generations.ts";
import type { HeldRefusals } from "../resilience/held-refusals.ts";
import type { Uploads } from "../uploads/uploads.ts";
import { methodNotAllowed } from "../validation/guard.ts";
import { createBodies } from "./body.ts";
import { watchConnections } from "./connections.ts";
import { createDrain } from "./drain.ts";
import {
  type RefusingParts,
  refuseAtOnce,
  refuseConnection,
  refuseUnserved,
} from "./refuse-unread.ts";
import { goneBeforeTurn, logUnread } from "./request-log.ts";
import { createServer, renewServer, type ServerSettings } from "./server.ts";
import { createSteps } from "./steps.ts";
import { createTurns } from "./turns.ts";

/** What the listener is made of. */
export interface ListenerParts {
  readonly pipeline: Pipeline;
  /** Takes the settings for one request. */
  readonly takeSettings: () => Held<RequestSettings>;
  readonly logger: Logger;
  readonly observation: Observation;
  readonly heldRefusals: Pick<HeldRefusals, "hold">;
  readonly uploads: Uploads;
  readonly basePath: string;
  /** The limits that count now. */
  readonly limits: () => LimitsConfiguration;
  /** The load balancers whose X-Forwarded-For is believed: addresses or CIDR ranges. */
  readonly trustedProxies: readonly string[];
  /** The certificate that callers are shown; null for plain HTTP. */
  readonly tls: Certificate | null;
  /** How long a call of any insurer may take, in milliseconds, as it is set now. */
  readonly longestCallMs: () => number;
  /** How long nothing may move on a connection whose request is being answered, in milliseconds, as it is set now. */
  readonly idleMs: () => number;
}

/** Where callers reach the gateway. */
export interface ListenPlace extends ListenConfiguration {
  /** Whether other processes of the machine listen on the same port (SO_REUSEPORT; Linux). */
  readonly sharedPort?: boolean;
}

/** The address for callers. */
export interface Listener {
  /** Begins to listen and gives the address. */
  listen(place: ListenPlace): Promise<string>;
  /**
   * Takes over the limits that count now, and a certificate. Connections that are open go on with the certificate that
   * they began with.
   */
  renew(tls: Certificate | null): void;
  /**
   * Goes on for the time of the notice, in milliseconds, with every answer ending its connection; then takes no new
   * connection, finishes what is in flight, and closes every connection as it becomes idle.
   */
  drain(noticeMs?: number): Promise<void>;
}

/** So many connections may wait to be taken; whoever is dropped here tries again only after seconds. */
const BACKLOG = 4_096;

/** Makes the listener: fastify reads HTTP, keeps the limits and the lifecycle; the pipeline does the rest. */
export function createListener(parts: ListenerParts): Listener {
  const { basePath, limits, logger, longestCallMs, observation, pipeline, tls, trustedProxies } =
    parts;
  const serverSettings = (): ServerSettings => ({
    limits: limits(),
    idleMs: parts.idleMs(),
  });
  const http = createServer({ ...serverSettings(), tls });
  const connections = watchConnections(http);
  const bodies = createBodies(() => limits().bodyBytes, parts.uploads);
  const refusing: RefusingParts = {
    basePath,
    limits,
    connections,
    bodies,
    refused: (problem) => logUnread(logger, problem, observation),
  };
  const turns = createTurns();
  http.on("connection", () => turns.connected());
  const waited = new WeakMap<IncomingMessage, number>();
  const { arrive, refuse, serve } = createSteps({
    pipeline,
    logger,
    observation,
    heldRefusals: parts.heldRefusals,
    waitedMs: (request) => waited.get(request) ?? 0,
    isDropped: (request) => bodies.isDropped(request),
    removeFiles: (request) => bodies.remove(request),
    takeSettings: parts.takeSettings,
  });
  const server = fastify({
    // One server: of the several that fastify makes for "localhost", all but the first would be without any of this.
    serverFactory(handler) {
      connections.answerWith((request, response) => {
        turns.take((waitedMs) => {
          if (response.destroyed) {
            observation.requestEnded(goneBeforeTurn(waitedMs));
            return;
          }
          waited.set(request, waitedMs);
          // Node also reads the methods of RTSP, for which fastify runs no hooks.
          if (METHODS.includes(request.method ?? "")) handler(request, response);
          else refuseAtOnce(methodNotAllowed(), response, refusing);
        });
      });
      return http;
    },
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
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
  refuseUnserved(http, refusing);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", async (request: FastifyRequest) => {
    const { exchange, raw } = request;
    exchange.body = await bodies.read(raw, exchange.negotiated?.body ?? null, exchange.caller);
  });
  server.addHook("onRequest", arrive);
  server.all("*", serve);
  server.setNotFoundHandler(serve);
  server.setErrorHandler((error, request, reply) => refuse(error, request, reply));
  const drain = createDrain(http, connections, longestCallMs);
  return {
    async listen({ host, port, sharedPort = false }) {
      const place = { host, port, backlog: BACKLOG, ...(sharedPort ? { reusePort: true } : {}) };
      const address = await server.listen(place);
      return tls === null ? address : address.replace(/^http:/, "https:");
    },
    renew: (renewed) => renewServer(http, { ...serverSettings(), tls: renewed }),
    async drain(noticeMs = 0) {
      await drain(noticeMs);
      await server.close();
    },
  };
}
