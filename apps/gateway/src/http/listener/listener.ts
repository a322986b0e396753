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
import type { Held } from "../../reload/generations.ts";
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
  readonly takeSettings: () => Held<RequestSettings>;
  readonly logger: Logger;
  readonly observation: Observation;
  readonly uploads: Uploads;
  readonly pages: () => ErrorPages;
  /** Returns the limits as set now. */
  readonly limits: () => LimitsConfiguration;
  /** The load balancers whose X-Forwarded-For is trusted: addresses or CIDR ranges. */
  readonly trustedProxies: readonly string[];
  /** The certificate that callers receive; null for plain HTTP. */
  readonly tls: Certificate | null;
  /** Returns the maximum duration of a call to any insurer, in milliseconds, as set now. */
  readonly longestCallMs: () => number;
  /** Returns how long a connection may be silent while its request is being answered, in milliseconds, as set now. */
  readonly idleMs: () => number;
}

/** The address at which callers reach the gateway. */
export interface ListenPlace extends ListenConfiguration {
  /** True if other processes of the machine listen on the same port (SO_REUSEPORT; Linux). */
  readonly sharedPort?: boolean;
}

/** The listener for callers. */
export type Listener = ReturnType<typeof createListener>;

/** Maximum of connections that wait to be accepted; a client whose connection is dropped retries only after seconds. */
const BACKLOG = 4_096;

/** Creates the listener: `node:http` reads HTTP, and the pipeline creates the answers. */
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
    // A server of HTTP over TCP or TLS has no other kind of connection.
    refuseConnection(error, socket as Socket, refusing),
  );
  refuseConnect(http, refusing);
  const drain = createDrain(http, connections, longestCallMs);
  return {
    /** Begins to listen; returns the address. */
    async listen({ host, port, sharedPort = false }: ListenPlace): Promise<string> {
      http.listen({ host, port, backlog: BACKLOG, ...(sharedPort ? { reusePort: true } : {}) });
      await once(http, "listening");
      const address = http.address();
      if (address === null || typeof address === "string")
        throw new TypeError("A server that listens on TCP has an address with a port");
      return addressOf(address, tls === null ? "http" : "https");
    },
    /** Applies the limits as set now, and a certificate, which open connections do not change. */
    renew: (renewed: Certificate | null): void =>
      renewServer(http, { ...serverSettings(), tls: renewed }),
    /**
     * Continues for the notice time, in milliseconds, while every answer ends its connection. Then accepts no new
     * connection, finishes the running requests, and closes every connection as it becomes idle.
     */
    async drain(noticeMs = 0): Promise<void> {
      await drain(noticeMs);
      // Nothing is open any more; this call ends Node's timer for late requests.
      http.close();
    },
  };
}

/** Creates a function that returns the caller's address: the sender's, or the address that a trusted proxy reports. */
function addressBehind(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? "";
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (request) => proxyAddr(request, isTrusted);
}

/** Interval at which idle connections are closed while draining. */
const LOOK_FOR_IDLE_EVERY_MS = 50;
/** Time after the longest call in which its answer may still be read, in milliseconds. */
const READ_WITHIN_MS = 10_000;
/** How long a connection that has sent nothing may still begin a request, in milliseconds. */
const FIRST_BYTES_WITHIN_MS = 1_000;

/**
 * Creates a server's drain. During the notice, everything is accepted as before, and every answer ends its
 * connection. A client that sends requests is therefore told by an answer, and a connection that is closed afterwards
 * was unused during the notice. A request that is sent at the moment of the closing is lost, as on every connection
 * of HTTP/1.1 (RFC 9112, section 9.3.1); without a notice, any request can be lost.
 * @param longestCallMs - returns the maximum duration of a call to any insurer, as set now
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
    // By then, every call has ended: a client that is still connected does not read its answer.
    const unread = setTimeout(() => server.closeAllConnections(), longestCallMs() + READ_WITHIN_MS);
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
    // The only possible error is that the server does not listen.
    NetServer.prototype.close.call(server, () => resolve());
  });
}

/** Tracks the connections that have sent nothing, which Node does not count as idle. */
function watchSilent(server: Server): { close(): void } {
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
