import {
  developmentToken,
  makeGatewayFolder,
  sandboxConfiguration,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { type Recorder, startRecorder } from "./recorder.ts";

/** The built gateway with its sandboxes behind a recorder. The reference shows the recorder's address. */
export interface RecordedGateway {
  readonly address: string;
  readonly folder: string;
  readonly token: string;
  readonly recorder: Recorder;
  stop(): Promise<void>;
}

/**
 * Starts the gateway and its recorder.
 * @param timeouts - the timeouts of every provider
 */
export async function startRecordedGateway(timeouts: object = {}): Promise<RecordedGateway> {
  const recorder = await startRecorder();
  const folder = makeGatewayFolder({
    providers: sandboxConfiguration.providers.map((provider) => ({ ...provider, timeouts })),
    reference: { address: recorder.address },
  });
  const token = await developmentToken(folder.path);
  const gateway = await startGatewayProcess(folder.path);
  recorder.aimAt(gateway.address);
  return {
    address: recorder.address,
    folder: folder.path,
    token,
    recorder,
    async stop() {
      await gateway.stop();
      await recorder.close();
      folder.remove();
    },
  };
}
