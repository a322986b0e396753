import { expect } from "vitest";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "./gateway-in-process.ts";
import { type HeldTime, holdTime } from "./held-time.ts";
import { type Insurer, json, startInsurer } from "./insurer.ts";

/** A gateway that accepts the tokens of the configured issuers, and an insurer that records the received requests. */
export interface TokenGateway {
  readonly gateway: GatewayInProcess;
  readonly insurer: Insurer;
  readonly time: HeldTime;
  /** Sends a GET request with the given Authorization header, or without the header for null. */
  ask(authorization: string | null, path?: string): Promise<Response>;
  /** Returns the logged reason for the refusal of a token; null if the gateway accepted the token. */
  loggedReason(response: Response): Promise<string | null>;
  stop(): Promise<void>;
}

/** The path of the lookup that tests call. */
const LOOKUP_PATH = "/provider-a/auto/brands";

/** Starts the gateway with provider A, and the insurer. */
export async function startGatewayWithIssuers(configuration: object): Promise<TokenGateway> {
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
      await expect.poll(find).toBeDefined();
      return JSON.parse(find() ?? "").reason;
    },
    async stop() {
      await gateway.stop();
      await insurer.close();
    },
  };
}

/** Starts an issuer's server, which publishes keys and records the received requests. */
export async function startKeyServer(keys: readonly object[]): Promise<Insurer> {
  return startInsurer(json(200, { keys }));
}
