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

/** A gateway before an insurer of applications that fails on purpose. */
export interface FailingInsurer<Gateway = GatewayProcess> {
  readonly insurer: FaultInjectingInsurer;
  readonly folder: GatewayFolder;
  readonly gateway: Gateway;
  stop(): Promise<void>;
}

/** Starts both in the test's own process. */
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
 * Starts both, the built gateway in a process of its own.
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
