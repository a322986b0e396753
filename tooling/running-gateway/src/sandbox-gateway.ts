import { type GatewayFolder, makeGatewayFolder, sandboxConfiguration } from "./folder.ts";
import { developmentToken, type GatewayProcess, startGatewayProcess } from "./process.ts";

/** The built gateway with the sandboxes of the five providers, in a temporary folder. */
export interface SandboxGateway {
  readonly address: string;
  /** A token of the gateway's development issuer. */
  readonly token: string;
  readonly folder: GatewayFolder;
  readonly process: GatewayProcess;
  /** Stops the gateway and its sandbox and removes the folder. */
  stop(): Promise<void>;
}

/**
 * Starts the gateway; it is ready for calls when the promise resolves.
 * @param settings - additional settings for every provider
 */
export async function startSandboxGateway(settings: object = {}): Promise<SandboxGateway> {
  const providers = sandboxConfiguration.providers.map((provider) => ({
    ...provider,
    ...settings,
  }));
  const folder = makeGatewayFolder({ providers });
  const token = await developmentToken(folder.path);
  const process = await startGatewayProcess(folder.path);
  const stop = async (): Promise<void> => {
    await process.stop();
    folder.remove();
  };
  return { address: process.address, token, folder, process, stop };
}
