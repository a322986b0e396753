import { buildConnector, Client, type Dispatcher, ProxyAgent } from "undici";
import { forwardSecretCiphers } from "./ciphers.ts";
import { createLookup } from "./lookup.ts";
import { environmentProxy } from "./proxy-variables.ts";
import type { RouteSettings } from "./route-settings.ts";

/** Creates the client of one connection, which opens it with a connector. */
export type ClientMaker = (address: string | URL, connector: buildConnector.connector) => Client;

/**
 * How the connections to an address are opened: directly or through a proxy. It throws if its settings or the environment's proxy are
 * wrong.
 */
export type Route = (
  address: string,
  make: ClientMaker,
) => Pick<Dispatcher, "dispatch"> & { destroy(error: Error): Promise<void> };

/** Creates the route of one transport. */
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
  return (address, make) => {
    const uri = proxy === "environment" ? environmentProxy(address) : (proxy ?? null);
    if (uri === null) return make(address, connector);
    return new ProxyAgent({
      uri,
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
