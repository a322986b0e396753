import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import {
  type GatewayInProcess,
  type InProcessOptions,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { installPackage } from "../harness/provider-package.ts";

/** Starts a gateway with the provider `provider-m`. Installs the provider's package in the gateway's folder. */
export function startWithProvider(
  source: string,
  baseUrl: string,
  options: Pick<InProcessOptions, "time"> = {},
): Promise<GatewayInProcess> {
  const folder = makeGatewayFolder();
  installPackage(folder, "provider-m", source);
  const provider = { ...insurerConfiguration("d", baseUrl), package: "provider-m" };
  return startInProcess({ providers: [provider] }, {}, { ...options, folder });
}
