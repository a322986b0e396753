import { hash } from "node:crypto";
import type { Adapter, AdapterContext } from "@insurance-gateway/adapter";
import {
  type ConnectionTransport,
  createTransport,
  type TlsSettings,
} from "@insurance-gateway/core/transport";
import type {
  AnswersConfiguration,
  CompareConfiguration,
  TimeoutsConfiguration,
} from "../configuration/file.ts";
import type { InsurerCredential } from "../configuration/insurer-credentials.ts";

/** The address, the credentials and the settings with which the gateway calls an insurer. */
export interface InsurerAccess {
  readonly adapter: Adapter;
  /** The operator's settings for the provider or the account, checked by the provider's `settings`. */
  readonly settings: AdapterContext["settings"];
  /** The address, without a slash at its end. */
  readonly baseUrl: string;
  readonly credentials: readonly InsurerCredential[];
  readonly tls: TlsSettings;
  readonly timeouts: TimeoutsConfiguration;
  readonly answers: AnswersConfiguration;
  readonly compare: Pick<CompareConfiguration, "except">;
  /** Maximum of simultaneous connections. */
  readonly connections: number;
  /** True for a sandbox, to which the gateway sends the caller's scenario. */
  readonly sandbox: boolean;
}

/** Returns a digest that changes when the transport to an insurer must change. */
export function transportIdentity({ baseUrl, connections, timeouts, tls }: InsurerAccess): string {
  const identity = { baseUrl, connections, connectMs: timeouts.connectMs, tls };
  // The identity contains a private key.
  return hash("sha256", JSON.stringify(identity), "base64url");
}

/**
 * Opens the transport to an insurer.
 * @param unaskedBytes - called when the insurer sent bytes that belong to no request
 */
export function openTransport(
  { baseUrl, connections, timeouts, tls }: InsurerAccess,
  unaskedBytes: () => void = () => undefined,
): ConnectionTransport {
  return createTransport({
    connectTimeoutMs: timeouts.connectMs,
    connections,
    origins: [new URL(baseUrl).origin],
    tls,
    unaskedBytes,
  });
}
