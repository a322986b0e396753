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
import { createBodies } from "../body.ts";
import { type Connections, watchConnections } from "../connections.ts";
import { addressOf, createServer, renewServer, type ServerSettings } from "../server.ts";
import { limitUnreadBodies } from "../unread-bodies.ts";
import type { Uploads } from "../uploads/uploads.ts";
import { createHandle } from "./handle.ts";
import { type RefusingParts, refuseConnect, refuseConnection } from "./refuse-unread.ts";
import { createRequestLines, goneBeforeBegin, logUnread } from "./request-log.ts";

/** The parts of the listener. */
export interface ListenerParts {
  readonly pipeline: Pipeline;
  /** Takes the settings for one request. */
  readonly takeSettings: () => AcquiredGeneration<RequestSettings>;
  readonly logger: Logger;
  readonly observation: Observation;
  readonly uploads: Uploads;
  readonly pages: () => ErrorPages;
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
export type Listener = ReturnType<typeof createListener>;

/** The number of connections that may wait to be accepted; a dropped client tries again only after seconds. */
const BACKLOG = 4_096;

/** Makes the listener: `node:http` reads HTTP, the pipeline says what is answered. */
export function createListener(parts: ListenerParts) {
  const { limits, logger, longestCallMs, observation, pages, tls } = parts;
  const serverSettings = (): ServerSettings => ({
    limits: limits(),
    idleMs: parts.idleMs(),
  });
  const http = createServer({ ...serverSettings(), tls });
  limitUnreadBodies(http);
  const connections = watchConnections(http);
  const bodies = createBodies(() => limits().bodyBytes, parts.uploads);
  const logLine = createRequestLines(logger);
  const refusing: RefusingParts = {
    pages,
    limits,
    connections,
    bodies,
    refused: (problem) => logUnread(logLine, problem, observation),
  };
  const handle = createHandle({
    ...parts,
    logLine,
    bodies,
    addressOf: addressBehind(parts.trustedProxies),
  });
  const together = createTogether();
  connections.answerWith((request, response) => {
    const arrivedAt = performance.now();
    together(() => {
      const waitedMs = performance.now() - arrivedAt;
      if (response.destroyed) observation.requestEnded(goneBeforeBegin(waitedMs));
      else void handle(request, response, waitedMs);
    });
  });
  http.on("clientError", (error, socket) =>
    // A server of HTTP over TCP or TLS has no other connections.
    refuseConnection(error, socket as Socket, refusing),
  );
  refuseConnect(http, refusing);
  const drain = createDrain(http, connections, longestCallMs);
  return {
    /** Begins to listen and gives the address. */
    async listen({ host, port, sharedPort = false }: ListenPlace): Promise<string> {
      http.listen({ host, port, backlog: BACKLOG, ...(sharedPort ? { reusePort: true } : {}) });
      await once(http, "listening");
      const address = http.address();
      if (address === null || typeof address === "string")
        throw new TypeError("A server that listens on TCP has an address with a port");
      return addressOf(address, tls === null ? "http" : "https");
    },
    /**
     * Takes over the limits that count now, and a certificate. Connections that are open go on with the certificate that
     * they began with.
     */
    renew: (renewed: Certificate | null): void =>
      renewServer(http, { ...serverSettings(), tls: renewed }),
    /**
     * Goes on for the time of the notice, in milliseconds, with every answer ending its connection; then takes no new
     * connection, finishes what is in flight, and closes every connection as it becomes idle.
     */
    async drain(noticeMs = 0): Promise<void> {
      await drain(noticeMs);
      // Nothing is open any more; this ends Node's timer for requests that take too long.
      http.close();
    },
  };
}

/** Gives the address that a request comes from: a load balancer's own, or what one that is trusted says of it. */
function addressBehind(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? "";
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (request) => proxyAddr(request, isTrusted);
}

/** How often connections that have become idle are closed while draining. */
const LOOK_FOR_IDLE_EVERY_MS = 50;
/** The time after the longest call in which its answer may still be read. */
const READ_WITHIN_MS = 10_000;
/** How long a connection that has sent nothing yet may still begin. */
const FIRST_BYTES_WITHIN_MS = 1_000;

/**
 * Makes a server's drain. During the notice, everything is accepted as before, and every answer ends its connection. So a
 * client that is sending requests learns it from an answer, and a connection that is closed afterwards was unused during
 * the notice. A request that is sent in the very moment of the closing is lost, as on every connection of HTTP/1.1
 * (RFC 9112, section 9.3.1); without a notice, it can be any request.
 * @param longestCallMs - how long a call of any insurer may take by the present settings
 */
function createDrain(
  server: Server,
  connections: Connections,
  longestCallMs: () => number,
): (noticeMs: number) => Promise<void> {
  const silent = watchSilent(server);
  return async (noticeMs) => {
    connections.endAfterAnswers();
    if (server.listening) await wait(noticeMs);
    const idle = setInterval(() => connections.closeIdle(), LOOK_FOR_IDLE_EVERY_MS);
    const late = setTimeout(() => silent.close(), FIRST_BYTES_WITHIN_MS);
    // By then every call is over: a client that is still connected does not read its answer.
    const unread = setTimeout(() => server.closeAllConnections(), longestCallMs() + READ_WITHIN_MS);
    await closeListening(server);
    clearInterval(idle);
    clearTimeout(late);
    clearTimeout(unread);
  };
}

/**
 * Closes the listening socket and resolves when the last connection has ended. Node's own closing of an HTTP server
 * would also cut answers that are written and not read yet, and stop looking for requests that do not arrive in time.
 */
function closeListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // The only error is that it does not listen.
    NetServer.prototype.close.call(server, () => resolve());
  });
}

/** Knows the connections that have sent nothing since they were made, which Node does not count among the idle. */
function watchSilent(server: Server): { close(): void } {
  const fresh = new Set<Socket>();
  // Over TLS, a connection begins when the handshake is done; one that is not in time, Node closes itself.
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
