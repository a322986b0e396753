import { buildConnector, Client, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { forwardSecretCiphers } from "./ciphers.ts";
import { createLookup } from "./lookup.ts";
import { checkProxyVariables, PROXY_VARIABLES } from "./proxy-variables.ts";

/** The certificates of TLS connections, in PEM. */
export interface TlsSettings {
  /** The trusted authorities for the server's certificate, instead of the default ones. */
  readonly authorities?: string | undefined;
  /** The client certificate with its private key, for a server that asks for one. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** How connections are opened. */
export interface RouteSettings {
  /** The time limit for opening a connection, including TLS, in milliseconds. Default: 3,000. */
  readonly connectTimeoutMs?: number | undefined;
  readonly tls?: TlsSettings | undefined;
  /**
   * The address of the proxy for every connection, or `environment`: as HTTPS_PROXY, HTTP_PROXY and NO_PROXY say, and none for
   * this machine. Default: none.
   */
  readonly proxy?: string | undefined;
}

/** Creates the client of one connection, which opens it with a connector. */
export type ClientMaker = (address: string | URL, connector: buildConnector.connector) => Client;

/** How the connections to an address are opened: directly or through a proxy. */
export type Route = (
  address: string,
  make: ClientMaker,
) => Pick<Dispatcher, "dispatch"> & { destroy(error: Error): Promise<void> };

/**
 * Creates the route of one transport.
 * @throws ConfigurationError if the address of a proxy is none
 */
export function createRoute({ connectTimeoutMs, proxy, tls = {} }: RouteSettings): Route {
  const { authorities, certificate, key } = tls;
  const timeout = connectTimeoutMs ?? 3_000;
  const options: buildConnector.BuildOptions = {
    timeout,
    lookup: createLookup(),
    allowH2: false,
    // Regardless of the options and environment of the process.
    minVersion: "TLSv1.2",
    ciphers: forwardSecretCiphers,
    rejectUnauthorized: true,
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
  };
  const connector = buildConnector(options);
  if (proxy === "environment") checkProxyVariables();
  return (address, make) => {
    if (!isProxied(address, proxy)) return make(address, connector);
    return new EnvHttpProxyAgent({
      ...(proxy === undefined || proxy === "environment"
        ? {}
        : { httpProxy: proxy, httpsProxy: proxy, noProxy: "" }),
      connect: connector,
      connectTimeout: timeout,
      proxyTls: options,
      requestTls: options,
      // A proxy that does not answer is not waited for any longer than one that cannot be reached.
      clientFactory: (origin, own) => new Client(origin, { ...own, headersTimeout: timeout }),
      factory: (origin, own) => make(origin, connectorIn(own)),
    });
  };
}

/** undici passes the connector that leads through the proxy. */
function connectorIn(own: object): buildConnector.connector {
  return (own as { readonly connect: buildConnector.connector }).connect;
}

/** Like Go and unlike undici, the environment's proxy is never used for this machine, which it cannot reach. */
function isProxied(address: string, proxy: string | undefined): boolean {
  if (proxy !== "environment") return proxy !== undefined;
  const { hostname } = new URL(address);
  const isThisMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return !isThisMachine && PROXY_VARIABLES.some((name) => process.env[name]);
}
