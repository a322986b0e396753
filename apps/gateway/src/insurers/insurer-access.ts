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

/** How an insurer is reached, and how the gateway speaks to it. */
export interface InsurerAccess {
  readonly adapter: Adapter;
  /** The operator's settings for the provider or the account, checked by the provider's `settings`. */
  readonly settings: AdapterContext["settings"];
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly credentials: readonly InsurerCredential[];
  readonly tls: TlsSettings;
  readonly timeouts: TimeoutsConfiguration;
  readonly answers: AnswersConfiguration;
  readonly compare: Pick<CompareConfiguration, "except">;
  /** How many connections there may be at one time. */
  readonly connections: number;
  /** Whether the caller's scenario crosses: to sandboxes only. */
  readonly sandbox: boolean;
}

/** Returns a text that changes when the transport to an insurer does. */
export function transportIdentity({ baseUrl, connections, timeouts, tls }: InsurerAccess): string {
  const identity = { baseUrl, connections, connectMs: timeouts.connectMs, tls };
  // It has a private key in it.
  return hash("sha256", JSON.stringify(identity), "base64url");
}

/**
 * Opens the transport to an insurer.
 * @param unaskedBytes - called when the insurer sent bytes that no request asked for
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
