import { onTestFinished } from "vitest";
import { createGateway, type Gateway, type GatewayOptions } from "../../src/index.ts";

/** A client of an address, closed when the test ends. */
export function connect(address: string, options: Partial<GatewayOptions> = {}): Gateway {
  const gateway = createGateway({ baseUrl: address, token: "token-1", ...options });
  onTestFinished(() => gateway.close());
  return gateway;
}
