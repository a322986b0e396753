import {
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { type FaultInjectingInsurer, startFaultInjectingInsurer } from "@insurance-gateway/testkit";
import { createApplicationsInsurer } from "../harness/applications.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";

/** The built gateway before an insurer of applications that fails on purpose. */
export interface FailingInsurer {
  readonly insurer: FaultInjectingInsurer;
  readonly folder: GatewayFolder;
  readonly gateway: GatewayProcess;
  stop(): Promise<void>;
}

/**
 * Starts both.
 * @param settings - of the provider beside the usual ones
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
