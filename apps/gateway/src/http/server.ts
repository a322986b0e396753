import type { Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Server as TlsServer } from "node:tls";
import { forwardSecretCiphers } from "@insurance-gateway/core/transport";
import type { LimitsConfiguration } from "../configuration/file.ts";
import type { Certificate } from "../configuration/pem.ts";
import { http } from "../node-http.ts";

/** Maximum delay until Node notices a late request, in milliseconds; Node's time limits are shorter by this delay. */
const LATE_REQUEST_DELAY_MS = 1_000;

/** The settings of a server that a reload can change. */
export interface ServerSettings {
  readonly limits: LimitsConfiguration;
  /** Maximum silence of a connection while its request is being answered, in milliseconds. */
  readonly idleMs: number;
}

/** Arguments of `createServer` and `renewServer`. */
export interface ServerParts extends ServerSettings {
  /** The certificate that callers receive; null for plain HTTP. */
  readonly tls: Certificate | null;
}

/** Creates an HTTP/1.1 server. Every limit is set here, so that no limit depends on a default or a flag of Node. */
export function createServer(parts: ServerParts): Server {
  const { limits, tls } = parts;
  const options = {
    insecureHTTPParser: false,
    // The guard step refuses a request without a Host header, and answers with a problem.
    requireHostHeader: false,
    // Higher than the configured limit, so that the guard step, which knows the request, refuses the headers.
    maxHeaderSize: 2 * limits.headerBytes,
    // Node then creates no body stream for a request without a body. This saves 8 % of the work of a lookup from
    // memory. Older versions of Node ignore this option.
    optimizeEmptyRequests: true,
    connectionsCheckingInterval: LATE_REQUEST_DELAY_MS / 2,
  };
  const server =
    tls === null
      ? http.createServer(options)
      : createHttpsServer({
          ...options,
          ...tlsOptionsOf(tls),
          handshakeTimeout: limits.headersMs,
        });
  // One more than the highest value of `limits.headers`. Node 24.21 refuses more headers than this number; earlier
  // versions drop the surplus headers, and the guard step refuses the request.
  server.maxHeadersCount = 1_001;
  server.maxRequestsPerSocket = 0;
  // The option also applies in a cluster; Node's types do not have this option yet.
  Object.assign(server, { dropMaxConnection: true });
  applyLimits(server, parts);
  return server;
}

/**
 * Applies changed settings to a server. `headerBytes` cannot change. TLS handshakes keep the first `headersMs` as their
 * time limit.
 */
export function renewServer(server: Server, parts: ServerParts): void {
  applyLimits(server, parts);
  renewCertificate(server, parts.tls);
}

/** Uses a renewed certificate for later connections; a server of plain HTTP ignores the certificate. */
export function renewCertificate(server: Server, tls: Certificate | null): void {
  if (tls !== null && server instanceof TlsServer) server.setSecureContext(tlsOptionsOf(tls));
}

function applyLimits(server: Server, { idleMs, limits }: ServerSettings): void {
  server.headersTimeout = earlierLimit(limits.headersMs);
  server.requestTimeout = earlierLimit(limits.requestMs);
  server.keepAliveTimeout = limits.keepAliveMs;
  server.timeout = idleMs;
  server.maxConnections = limits.connections;
}

/** Returns the TLS options of a server that uses this certificate. */
export function tlsOptionsOf({ certificate, key }: Certificate): {
  readonly cert: string;
  readonly key: string;
  readonly ciphers: string;
  readonly minVersion: "TLSv1.2";
} {
  return { cert: certificate, key, ciphers: forwardSecretCiphers, minVersion: "TLSv1.2" };
}

function earlierLimit(limitMs: number): number {
  return Math.max(1, limitMs - LATE_REQUEST_DELAY_MS);
}

/** The loopback address for each address that means "all addresses of this machine". */
const LOOPBACK_ADDRESSES: Readonly<Record<string, string>> = {
  "0.0.0.0": "127.0.0.1",
  "::": "::1",
};

/** Returns the URL of a server for this machine: a loopback address if the server listens on all addresses. */
export function addressOf(
  { address, port }: Pick<AddressInfo, "address" | "port">,
  scheme: "http" | "https",
): string {
  const host = LOOPBACK_ADDRESSES[address] ?? address;
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
