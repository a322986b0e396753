import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { TlsSettings } from "@insurance-gateway/core/transport";
import type { SecretConfiguration, TlsConfiguration } from "./file.ts";
import type { Configuration } from "./load.ts";
import type { ReadSecret, SecretFault } from "./secrets.ts";

/** A certificate of one of the gateway's own addresses, with its key, both in PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/**
 * Reads the certificate of the callers' address or of the operations address. Returns null for plain HTTP.
 * @param fault - called for every fault, with its path
 */
export function readCertificate(
  configuration: Pick<Configuration, "listen" | "operations">,
  address: "listen" | "operations",
  readSecret: ReadSecret,
  fault: (fault: string) => void,
): Certificate | null {
  const { tls } = configuration[address];
  if (tls === undefined) return null;
  const read = (part: keyof Certificate): string | undefined =>
    readPem(tls[part], readSecret, (message) => fault(`${address}.tls.${part}: ${message}`));
  const [certificate, key] = [read("certificate"), read("key")];
  if (!belongTogether(certificate, key))
    fault(`${address}.tls: the key must belong to the certificate`);
  return { certificate: certificate ?? "", key: key ?? "" };
}

/** Reads the certificates for connections to an insurer or a token server. Faults have paths below `tls`. */
export function readTls(
  tls: TlsConfiguration | undefined,
  readSecret: ReadSecret,
  fault: SecretFault,
): TlsSettings {
  const read = (secret: SecretConfiguration | undefined, path: string): string | undefined =>
    secret && readPem(secret, readSecret, (message) => fault(path, message));
  const settings = {
    authorities: read(tls?.authorities, "authorities"),
    certificate: read(tls?.client?.certificate, "client.certificate"),
    key: read(tls?.client?.key, "client.key"),
  };
  if (!belongTogether(settings.certificate, settings.key))
    fault("client", "the key must belong to the certificate");
  return settings;
}

/**
 * Reads a certificate or a private key in PEM (RFC 7468) from its configured place.
 * @param fault - called with the reason if the text cannot be used, never with its content
 * @returns undefined if the text cannot be used
 */
function readPem(
  secret: SecretConfiguration,
  read: ReadSecret,
  fault: (message: string) => void,
): string | undefined {
  let isUsable = true;
  const refuse = (message: string): void => {
    isUsable = false;
    fault(message);
  };
  const text = read(secret, refuse);
  if (isUsable && !isPem(text)) refuse("must be a certificate or a private key in PEM");
  return isUsable ? text : undefined;
}

/**
 * Reports whether a private key belongs to a certificate. Returns true if the key or the certificate could not be read.
 */
function belongTogether(certificate: string | undefined, key: string | undefined): boolean {
  if (certificate === undefined || key === undefined) return true;
  try {
    createSecureContext({ cert: certificate, key });
    return true;
  } catch {
    return false;
  }
}

function isPem(text: string): boolean {
  try {
    const read = text.includes("PRIVATE KEY-----")
      ? createPrivateKey(text)
      : new X509Certificate(text);
    return read !== undefined;
  } catch {
    return false;
  }
}
