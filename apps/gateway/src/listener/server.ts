import { createServer as createHttpServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { LimitsConfiguration } from "../configuration/file.ts";
import type { Certificate } from "./certificate.ts";

/** Node looks for requests that take too long twice in this time: so much earlier it is told to end them. */
const LATE_REQUESTS_EVERY_MS = 1_000;

/** What a server of HTTP/1.1 is made of. */
export interface ServerParts {
  readonly limits: LimitsConfiguration;
  /** The certificate that callers are shown; null for plain HTTP. */
  readonly tls: Certificate | null;
  /** How long nothing may move on a connection whose request is being answered, in milliseconds. */
  readonly idleMs: number;
}

/** Makes the server, with every limit of Node's own said and none left to a default or to a flag of the process. */
export function createServer({ idleMs, limits, tls }: ServerParts): Server {
  const options = {
    insecureHTTPParser: false,
    // The guard refuses a missing Host, with a problem.
    requireHostHeader: false,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: earlier(limits.headersMs),
    requestTimeout: earlier(limits.requestMs),
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: LATE_REQUESTS_EVERY_MS / 2,
  };
  const server =
    tls === null
      ? createHttpServer(options)
      : createHttpsServer({
          ...options,
          cert: tls.certificate,
          key: tls.key,
          minVersion: "TLSv1.2",
          handshakeTimeout: limits.headersMs,
        });
  // Node would drop the headers over a number of its own without a word: the guard counts them instead.
  server.maxHeadersCount = 0;
  server.maxRequestsPerSocket = 0;
  server.timeout = idleMs;
  server.maxConnections = limits.connections;
  // Also in a cluster; not yet in Node's types.
  Object.assign(server, { dropMaxConnection: true });
  return server;
}

function earlier(limitMs: number): number {
  return Math.max(1, limitMs - LATE_REQUESTS_EVERY_MS);
}
