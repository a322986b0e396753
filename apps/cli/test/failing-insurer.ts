import {
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { type FaultInjectingInsurer, startFaultInjectingInsurer } from "@insurance-gateway/testkit";
import {
  createApplicationsInsurer,
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "./gateway.ts";

/** A gateway, and an insurer with faults that the test selects. */
export interface FailingInsurer<Gateway = GatewayProcess> {
  readonly insurer: FaultInjectingInsurer;
  readonly folder: GatewayFolder;
  readonly gateway: Gateway;
  stop(): Promise<void>;
}

/** Starts the insurer and the gateway in the test's own process. */
export async function startFailingInsurerInProcess(): Promise<FailingInsurer<GatewayInProcess>> {
  const insurer = await startFaultInjectingInsurer(createApplicationsInsurer());
  const gateway = await startInProcess({ providers: [insurerConfiguration("d", insurer.baseUrl)] });
  return {
    insurer,
    folder: gateway.folder,
    gateway,
    async stop() {
      await gateway.stop();
      await insurer.close();
    },
  };
}

/**
 * Starts the insurer, and the built gateway in a separate process.
 * @param settings - additional settings of the provider
 */
export async function startFailingInsurer(settings: object = {}): Promise<FailingInsurer> {
  const insurer = await startFaultInjectingInsurer(createApplicationsInsurer());
  const provider = { ...insurerConfiguration("d", insurer.baseUrl), ...settings };
  const folder = makeGatewayFolder({ providers: [provider] });
  const gateway = await startGatewayProcess(folder.path);
  return {
    insurer,
    folder,
    gateway,
    async stop() {
      await insurer.close();
      await gateway.stop();
      folder.remove();
    },
  };
}
