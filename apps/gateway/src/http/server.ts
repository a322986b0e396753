import type { Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Server as TlsServer } from "node:tls";
import { forwardSecretCiphers } from "@insurance-gateway/core/transport";
import type { LimitsConfiguration } from "../configuration/file.ts";
import type { Certificate } from "../configuration/pem.ts";
import { http } from "../node-http.ts";

/** Node looks twice in this time for requests that take too long, so its limit is this much shorter. */
const LATE_REQUESTS_EVERY_MS = 1_000;

/** The settings of a server, until they are changed. */
export interface ServerSettings {
  readonly limits: LimitsConfiguration;
  /** How long nothing may move on a connection whose request is being answered, in milliseconds. */
  readonly idleMs: number;
}

/** The parts of a server of HTTP/1.1. */
export interface ServerParts extends ServerSettings {
  /** The certificate that callers are shown; null for plain HTTP. */
  readonly tls: Certificate | null;
}

/** Makes the server, with every limit of Node's own said and none left to a default or to a flag of the process. */
export function createServer(parts: ServerParts): Server {
  const { limits, tls } = parts;
  const options = {
    insecureHTTPParser: false,
    // The guard refuses a missing Host, with a problem.
    requireHostHeader: false,
    // The guard refuses headers over the limit, because it knows what they belong to.
    maxHeaderSize: 2 * limits.headerBytes,
    // Node creates no body stream for a request without a body: 8 % of a lookup from memory. Older Nodes ignore it.
    optimizeEmptyRequests: true,
    connectionsCheckingInterval: LATE_REQUESTS_EVERY_MS / 2,
  };
  const server =
    tls === null
      ? http.createServer(options)
      : createHttpsServer({
          ...options,
          ...contextOf(tls),
          handshakeTimeout: limits.headersMs,
        });
  // One more than `limits.headers` can be: Node 24.21 refuses more, and earlier ones drop them, so that the guard refuses the rest.
  server.maxHeadersCount = 1_001;
  server.maxRequestsPerSocket = 0;
  // Also in a cluster; not yet in Node's types.
  Object.assign(server, { dropMaxConnection: true });
  applyLimits(server, parts);
  return server;
}

/**
 * Changes the settings that Node reads again for each connection or request, which `headerBytes` is not. A handshake keeps
 * the first `headersMs` as its limit.
 */
export function renewServer(server: Server, parts: ServerParts): void {
  applyLimits(server, parts);
  renewCertificate(server, parts.tls);
}

/** Shows another certificate to those who connect from now on; a server of plain HTTP stays one. */
export function renewCertificate(server: Server, tls: Certificate | null): void {
  if (tls !== null && server instanceof TlsServer) server.setSecureContext(contextOf(tls));
}

function applyLimits(server: Server, { idleMs, limits }: ServerSettings): void {
  server.headersTimeout = earlier(limits.headersMs);
  server.requestTimeout = earlier(limits.requestMs);
  server.keepAliveTimeout = limits.keepAliveMs;
  server.timeout = idleMs;
  server.maxConnections = limits.connections;
}

/** How a server of TLS is made with a certificate. */
export function contextOf({ certificate, key }: Certificate): {
  readonly cert: string;
  readonly key: string;
  readonly ciphers: string;
  readonly minVersion: "TLSv1.2";
} {
  return { cert: certificate, key, ciphers: forwardSecretCiphers, minVersion: "TLSv1.2" };
}

function earlier(limitMs: number): number {
  return Math.max(1, limitMs - LATE_REQUESTS_EVERY_MS);
}

/** On all addresses of the machine, and then the address that only this machine reaches. */
const LOOPBACK: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** Returns the URL at which this machine reaches a server: a loopback address where it listens on all addresses. */
export function addressOf(
  { address, port }: Pick<AddressInfo, "address" | "port">,
  scheme: "http" | "https",
): string {
  const host = LOOPBACK[address] ?? address;
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
