import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { TlsSettings } from "@insurance-gateway/core/transport";
import type { SecretConfiguration, TlsConfiguration } from "./file.ts";
import type { ReadSecret, SecretFault } from "./secrets.ts";

/**
 * Reads a certificate or a private key in PEM (RFC 7468) from where the configuration says it is.
 * @param fault - called with the reason if it cannot be used, never with its content
 */
export function readPem(
  secret: SecretConfiguration,
  read: ReadSecret,
  fault: (message: string) => void,
): string {
  let missing = false;
  const text = read(secret, (message) => {
    missing = true;
    fault(message);
  });
  if (!missing && !isPem(text)) fault("is neither a certificate nor a private key in PEM");
  return text;
}

/** Reads the certificates for calls to a server. Faults are reported below `tls`. */
export function readTls(
  tls: TlsConfiguration | undefined,
  read: ReadSecret,
  fault: SecretFault,
): TlsSettings {
  const pem = (secret: SecretConfiguration | undefined, path: string): string | undefined => {
    if (secret === undefined) return undefined;
    let isUsable = true;
    const text = readPem(secret, read, (message) => {
      isUsable = false;
      fault(path, message);
    });
    return isUsable ? text : undefined;
  };
  const settings = {
    authorities: pem(tls?.authorities, "authorities"),
    certificate: pem(tls?.client?.certificate, "client.certificate"),
    key: pem(tls?.client?.key, "client.key"),
  };
  const { certificate, key } = settings;
  if (certificate !== undefined && key !== undefined && !belongTogether(certificate, key))
    fault("client", "the key is not the certificate's");
  return settings;
}

/** Whether a private key is that of a certificate; both in PEM. */
export function belongTogether(certificate: string, key: string): boolean {
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
