import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import { oneFound } from "../harness/site.ts";
import { reloadNow } from "./settled.ts";

/** A gateway with provider D, whose token for the insurer is in the file `token.txt`. */
export interface ReloadedGateway {
  readonly gateway: GatewayInProcess;
  readonly insurer: Insurer;
  readonly folder: GatewayFolder;
  readonly time: HeldTime;
  /** Returns the configuration with changed settings of the provider and changed sections. */
  configuration(provider?: object, sections?: object): object;
  /** Writes a changed configuration file, and makes the gateway reload the file. */
  reloadWith(provider?: object, sections?: object): ReturnType<GatewayInProcess["reload"]>;
  /** Writes the token into its file. */
  writeToken(token: string): void;
  /** Sends a search. */
  look(headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Returns the tokens that the insurer has received. */
  tokens(): readonly unknown[];
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the gateway with the token "first" and with a clock that only the test advances. */
export async function startReloaded(): Promise<ReloadedGateway> {
  const insurer = await startInsurer(oneFound);
  const folder = makeGatewayFolder();
  const time = holdTime();
  const credentials = { type: "bearer", token: { file: "token.txt" } };
  const configuration = (provider: object = {}, sections: object = {}): object => ({
    // The test may block the event loop, which the gateway uses too. The gateway must not refuse requests then.
    overload: { eventLoopDelayMs: 3_600_000 },
    providers: [{ ...insurerConfiguration("d", insurer.baseUrl, { credentials }), ...provider }],
    ...sections,
  });
  const writeToken = (token: string): void => writeFileSync(join(folder.path, "token.txt"), token);
  writeToken("first\n");
  const gateway = await startInProcess(configuration(), {}, { folder, time });
  return {
    gateway,
    insurer,
    folder,
    time,
    configuration,
    reloadWith(...changed) {
      folder.writeConfiguration(configuration(...changed));
      return reloadNow(gateway, time);
    },
    writeToken,
    look: (headers = {}) =>
      gateway.ask("/provider-d/applications/search?clientAfm=123456789", { headers }),
    tokens: () => insurer.arrivals.map(({ headers }) => headers.authorization),
    metrics: async () => (await fetch(`${gateway.operationsAddress}/metrics`)).text(),
    async stop() {
      await gateway.stop();
      await insurer.close();
    },
  };
}
