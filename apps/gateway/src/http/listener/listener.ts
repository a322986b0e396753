import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { Server as TlsServer } from "node:tls";
import proxyAddr from "@fastify/proxy-addr";
import type { ErrorPages } from "@insurance-gateway/core/runtime";
import { createTogether } from "@insurance-gateway/core/transport";
import type { LimitsConfiguration, ListenConfiguration } from "../../configuration/file.ts";
import type { Certificate } from "../../configuration/pem.ts";
import type { Observation } from "../../events.ts";
import type { Logger } from "../../operator/logging/logger.ts";
import type { Pipeline, RequestSettings } from "../../pipeline/pipeline.ts";
import type { AcquiredGeneration } from "../../reload/generations.ts";
import { createBodyReader } from "../body.ts";
import { type ConnectionTracker, trackConnections } from "../connections.ts";
import { addressOf, createServer, renewServer, type ServerSettings } from "../server.ts";
import { limitUnreadBodies } from "../unread-bodies.ts";
import type { UploadReceiver } from "../uploads/uploads.ts";
import { createRequestHandler } from "./handle.ts";
import { type RefuseUnreadParts, refuseConnect, refuseConnection } from "./refuse-unread.ts";
import { createRequestLogger, logUnreadRequest, reportOfGoneCaller } from "./request-log.ts";

/** Arguments of `createListener`. */
export interface ListenerParts {
  readonly pipeline: Pipeline;
  /** Acquires the current settings for one request; the caller of this function must release them. */
  readonly takeSettings: () => AcquiredGeneration<RequestSettings>;
  readonly logger: Logger;
  readonly observation: Observation;
  readonly uploads: UploadReceiver;
  readonly pages: () => ErrorPages;
  /** Returns the configured limits, which a reload can change. */
  readonly limits: () => LimitsConfiguration;
  /** The load balancers whose X-Forwarded-For is trusted: addresses or CIDR ranges. */
  readonly trustedProxies: readonly string[];
  /** The certificate that callers receive; null for plain HTTP. */
  readonly tls: Certificate | null;
  /** Returns the longest time limit of a call to any insurer, in milliseconds; a reload can change this limit. */
  readonly longestCallMs: () => number;
  /** Returns the configured maximum silence of a connection during the answer to its request, in milliseconds. */
  readonly idleMs: () => number;
}

/** The host and port on which the listener accepts callers. */
export interface ListenAddress extends ListenConfiguration {
  /** True if other processes of the machine listen on the same port (SO_REUSEPORT; Linux). */
  readonly sharedPort?: boolean;
}

/** The listener for callers. */
export type Listener = ReturnType<typeof createListener>;

/**
 * Maximum number of connections that wait to be accepted. It is large, because a client retries a dropped connection
 * only after seconds.
 */
const MAX_UNACCEPTED_CONNECTIONS = 4_096;

/** Creates the listener: `node:http` reads HTTP, and the pipeline creates the answers. */
export function createListener(parts: ListenerParts) {
  const { limits, logger, longestCallMs, observation, pages, tls } = parts;
  const serverSettings = (): ServerSettings => ({
    limits: limits(),
    idleMs: parts.idleMs(),
  });
  const http = createServer({ ...serverSettings(), tls });
  limitUnreadBodies(http);
  const connections = trackConnections(http);
  const bodies = createBodyReader(() => limits().bodyBytes, parts.uploads);
  const logLine = createRequestLogger(logger);
  const refusing: RefuseUnreadParts = {
    pages,
    limits,
    connections,
    bodies,
    refused: (problem) => logUnreadRequest(logLine, problem, observation),
  };
  const handle = createRequestHandler({
    ...parts,
    logLine,
    bodies,
    addressOf: createAddressReader(parts.trustedProxies),
  });
  const together = createTogether();
  connections.answerWith((request, response) => {
    const arrivedAt = performance.now();
    together(() => {
      const waitedMs = performance.now() - arrivedAt;
      if (response.destroyed) observation.requestEnded(reportOfGoneCaller(waitedMs));
      else void handle(request, response, waitedMs);
    });
  });
  http.on("clientError", (error, socket) =>
    // The server listens only on TCP or TLS, so every connection is a `Socket`.
    refuseConnection(error, socket as Socket, refusing),
  );
  refuseConnect(http, refusing);
  const drain = createDrain(http, connections, longestCallMs);
  return {
    /** Begins to listen; returns the address. */
    async listen({ host, port, sharedPort = false }: ListenAddress): Promise<string> {
      http.listen({
        host,
        port,
        backlog: MAX_UNACCEPTED_CONNECTIONS,
        ...(sharedPort ? { reusePort: true } : {}),
      });
      await once(http, "listening");
      const address = http.address();
      if (address === null || typeof address === "string")
        throw new TypeError("A server that listens on TCP has an address with a port");
      return addressOf(address, tls === null ? "http" : "https");
    },
    /** Applies changed limits, and a renewed certificate; open connections keep the old certificate. */
    renew: (renewed: Certificate | null): void =>
      renewServer(http, { ...serverSettings(), tls: renewed }),
    /**
     * Stops the listener. For `noticeMs` milliseconds, the listener serves new requests, and ends each connection with
     * its answer. Then the listener accepts no new connection, finishes running requests, and closes idle connections.
     */
    async drain(noticeMs = 0): Promise<void> {
      await drain(noticeMs);
      // No connection is open now; this call ends Node's timer for late requests.
      http.close();
    },
  };
}

/** Creates a function that returns a caller's IP address: the sender's, or the one that a trusted proxy reports. */
function createAddressReader(
  trustedProxies: readonly string[],
): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? "";
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (request) => proxyAddr(request, isTrusted);
}

/** Interval at which a stopping listener closes idle connections, in milliseconds. */
const CLOSE_IDLE_EVERY_MS = 50;
/** Time for which a caller may read its answer after the longest possible call, in milliseconds. */
const ANSWER_READ_WITHIN_MS = 10_000;
/** Time for which a stopping listener waits for a connection that has sent no byte, in milliseconds. */
const FIRST_BYTE_WITHIN_MS = 1_000;

/**
 * Creates the function that stops a server. During the notice, a period before the stop, the server still accepts
 * requests, and every answer ends its connection. Clients that send requests therefore learn of the end from an answer,
 * and a connection that the server closes afterwards was unused during the notice. A request that is sent at the moment
 * of the closing is lost, as on every HTTP/1.1 connection (RFC 9112, section 9.3.1); without a notice, any request can
 * be lost.
 * @param longestCallMs - returns the longest time limit of a call to any insurer, in milliseconds
 */
function createDrain(
  server: Server,
  connections: ConnectionTracker,
  longestCallMs: () => number,
): (noticeMs: number) => Promise<void> {
  const silent = trackSilentConnections(server);
  return async (noticeMs) => {
    connections.endAfterAnswers();
    if (server.listening) await wait(noticeMs);
    const idle = setInterval(() => connections.closeIdle(), CLOSE_IDLE_EVERY_MS);
    const late = setTimeout(() => silent.close(), FIRST_BYTE_WITHIN_MS);
    // When this timer fires, every call has ended: a client that is still connected does not read its answer.
    const unread = setTimeout(
      () => server.closeAllConnections(),
      longestCallMs() + ANSWER_READ_WITHIN_MS,
    );
    await closeListening(server);
    clearInterval(idle);
    clearTimeout(late);
    clearTimeout(unread);
  };
}

/**
 * Closes the listening socket; resolves when the last connection has ended. Node's own closing of an HTTP server
 * would also cut answers that were written and not read yet, and would no longer look for late requests.
 */
function closeListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // The only possible error says that the server does not listen.
    NetServer.prototype.close.call(server, () => resolve());
  });
}

/** Tracks the connections that have sent no byte, because Node does not count them as idle. */
function trackSilentConnections(server: Server): { close(): void } {
  const fresh = new Set<Socket>();
  // Over TLS, a connection begins after the handshake; Node itself closes a connection whose handshake is late.
  server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
    fresh.add(socket);
    socket.once("close", () => fresh.delete(socket));
  });
  server.on("request", ({ socket }) => fresh.delete(socket));
  return {
    close() {
      for (const socket of fresh) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}
