import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../../harness/gateway-in-process.ts";
import type { Insurer } from "../../harness/insurer.ts";
import { openRaw, type RawAnswer, type RawConnection } from "../../harness/send-raw.ts";
import { startAnsweringInsurer } from "./answering-insurer.ts";

/** A gateway with the limits of a test, and an insurer that answers. */
export interface LimitedGateway extends GatewayInProcess {
  readonly insurer: Insurer;
  /** Replaces {host} and {token} in bytes by the gateway's address and a token. */
  fill(bytes: string): string;
  /** Opens a connection and sends bytes on it. */
  begin(bytes: string): Promise<RawConnection>;
}

/** Starts the gateway; its `stop` closes the insurer, too. */
export async function startLimited(
  limits: object,
  configuration: object = {},
): Promise<LimitedGateway> {
  const insurer = await startAnsweringInsurer();
  const providers = ["a", "e"].map((letter) => insurerConfiguration(letter, insurer.baseUrl));
  const gateway = await startInProcess({ ...configuration, providers, limits });
  const fill = (bytes: string): string =>
    bytes.replaceAll("{host}", new URL(gateway.address).host).replaceAll("{token}", gateway.token);
  return {
    ...gateway,
    insurer,
    fill,
    async begin(bytes) {
      const connection = await openRaw(gateway.address);
      connection.send(fill(bytes));
      return connection;
    },
    async stop() {
      await gateway.stop();
      await insurer.close();
    },
  };
}

/** Returns the detail of the problem in an answer. */
export function detailOf(answer: RawAnswer | null): string {
  const { detail }: { detail?: string } = JSON.parse(answer?.body ?? "{}");
  return detail ?? "";
}
