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
  /** The operator's settings for the provider or the account; the provider's schema has checked them. */
  readonly settings: AdapterContext["settings"];
  /** The URL of the insurer's API, without a slash at its end. */
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

/** Returns a digest of all settings of the connections to an insurer; another digest needs other connections. */
export function transportDigestOf({ baseUrl, connections, timeouts, tls }: InsurerAccess): string {
  const identity = { baseUrl, connections, connectMs: timeouts.connectMs, tls };
  // The hashed text contains a private key, so only its digest is used.
  return hash("sha256", JSON.stringify(identity), "base64url");
}

/**
 * Opens the transport to an insurer.
 * @param unaskedBytes - called after the insurer has sent bytes that answer no request
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
