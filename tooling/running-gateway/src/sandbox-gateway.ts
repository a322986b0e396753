import { type GatewayFolder, makeGatewayFolder, sandboxConfiguration } from "./folder.ts";
import { developmentToken, type GatewayProcess, startGatewayProcess } from "./process.ts";

/** The built gateway with the five providers' sandboxes behind it, in a folder of its own. */
export interface SandboxGateway {
  readonly address: string;
  /** A token of its development issuer. */
  readonly token: string;
  readonly folder: GatewayFolder;
  readonly process: GatewayProcess;
  /** Ends the gateway and its sandbox, and removes the folder. */
  stop(): Promise<void>;
}

/**
 * Starts it; ready for calls when this resolves.
 * @param settings - of every provider beside the usual ones
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
