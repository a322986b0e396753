import { fileURLToPath } from "node:url";
import { createGateway, type Gateway } from "@insurance-gateway/core";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../../harness/insurer.ts";
import { installPackage } from "../../harness/provider-package.ts";

const declarations = fileURLToPath(new URL("wire-provider.ts", import.meta.url));

/** A client, the gateway with the provider of these tests, and an insurer that answers `{}`. */
export interface WireSite {
  readonly application: Gateway;
  readonly gateway: GatewayInProcess;
  readonly insurer: Insurer;
  stop(): Promise<void>;
}

/** Starts the insurer, the gateway and the client. */
export async function startWireSite(): Promise<WireSite> {
  const insurer = await startInsurer(json(200, {}));
  const folder = makeGatewayFolder();
  installPackage(folder, "provider-wire", `export * from ${JSON.stringify(declarations)};`);
  const provider = { ...insurerConfiguration("d", insurer.baseUrl), package: "provider-wire" };
  const gateway = await startInProcess({ providers: [provider] }, {}, { folder });
  const application = createGateway({ baseUrl: gateway.address, token: gateway.token });
  return {
    application,
    gateway,
    insurer,
    async stop() {
      await application.close();
      await gateway.stop();
      await insurer.close();
    },
  };
}
