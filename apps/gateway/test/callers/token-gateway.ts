import { expect } from "vitest";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";

/** A gateway that accepts the tokens of issuers, before an insurer that notes what reaches it. */
export interface TokenGateway {
  readonly gateway: GatewayInProcess;
  readonly insurer: Insurer;
  readonly time: HeldTime;
  /** Asks for something harmless with an Authorization header, or without. */
  ask(authorization: string | null, path?: string): Promise<Response>;
  /** Returns the reason for a refusal from the operator's log; null without a line. */
  loggedReason(response: Response): Promise<string | null>;
  stop(): Promise<void>;
}

/** The path of the lookup that tests call. */
const LOOKUP_PATH = "/provider-a/auto/brands";

/** Starts it; the configuration's providers are one, A. */
export async function startTokenGateway(configuration: object): Promise<TokenGateway> {
  const insurer = await startInsurer(json(200, { items: [{ code: "FIAT", name: "Fiat" }] }));
  const time = holdTime();
  const providers = [insurerConfiguration("a", insurer.baseUrl)];
  const gateway = await startInProcess({ providers, ...configuration }, {}, { time });
  return {
    gateway,
    insurer,
    time,
    ask: (authorization, path = LOOKUP_PATH) =>
      fetch(gateway.address + path, { headers: authorization === null ? {} : { authorization } }),
    async loggedReason(response) {
      const id = response.headers.get("x-request-id") ?? "none";
      const find = (): string | undefined => gateway.log.find((line) => line.includes(id));
      await expect.poll(find, { timeout: 10_000 }).toBeDefined();
      return JSON.parse(find() ?? "").reason;
    },
    async stop() {
      await gateway.stop();
      await insurer.close();
    },
  };
}

/** An issuer's server, which publishes keys and notes who asks. */
export async function startKeyServer(keys: readonly object[]): Promise<Insurer> {
  return startInsurer(json(200, { keys }));
}
