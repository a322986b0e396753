import { openGateway } from "../client/create-gateway.ts";
import type { ConnectionSetup } from "../client/options.ts";
import type { Gateway, GatewayOptions } from "../index.ts";
import { createFetchTransport, faultsOverFetch } from "../transport/fetch-transport.ts";

export * from "../index.ts";

/**
 * Creates a client of the Insurance Gateway that uses the runtime's `fetch`. It sends nothing until the first call.
 * @throws ConfigurationError with every fault of the options
 */
export function createGateway(options: GatewayOptions): Gateway {
  return openGateway(options, fetchConnections);
}

const fetchConnections: ConnectionSetup = { faultsOf: faultsOverFetch, open: createFetchTransport };
