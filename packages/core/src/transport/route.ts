import { buildConnector, Client, type Dispatcher, ProxyAgent } from "undici";
import { forwardSecretCiphers } from "./ciphers.ts";
import { createLookup } from "./lookup.ts";
import { environmentProxy } from "./proxy-variables.ts";
import type { RouteSettings } from "./route-settings.ts";

/** Creates the undici client of one connection, which the given connector opens. */
export type ClientMaker = (address: string | URL, connector: buildConnector.connector) => Client;

/** Opens the connections to an address, directly or through a proxy. Throws if the settings or the proxy are wrong. */
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
    // These TLS rules apply regardless of the options and the environment of the process.
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
      // The wait for a proxy's answer has the same limit as the wait for a connection.
      clientFactory: (origin, own) => new Client(origin, { ...own, headersTimeout: timeout }),
      factory: (origin, own) => make(origin, proxyConnectorIn(own)),
    });
  };
}

/** Returns the connector that undici passes for connections through the proxy. */
function proxyConnectorIn(own: object): buildConnector.connector {
  return (own as { readonly connect: buildConnector.connector }).connect;
}
