import { onTestFinished } from "vitest";
import { createGateway, type Gateway, type GatewayOptions } from "../../src/index.ts";

/** Returns a client of an address. The client is closed when the test ends. */
export function connect(address: string, options: Partial<GatewayOptions> = {}): Gateway {
  const gateway = createGateway({ baseUrl: address, token: "token-1", ...options });
  onTestFinished(() => gateway.close());
  return gateway;
}
