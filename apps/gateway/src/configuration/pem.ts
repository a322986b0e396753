import { createPrivateKey, X509Certificate } from "node:crypto";
import type { TlsSettings } from "@insurance-gateway/core/transport";
import type { SecretConfiguration, TlsConfiguration } from "./file.ts";
import type { Environment } from "./load.ts";
import { readSecret, type SecretFault } from "./secrets.ts";

/**
 * Reads a certificate or a private key in PEM (RFC 7468) from where the configuration says it is.
 * @param fault - is told why it cannot be used; never what it says
 */
export function readPem(
  secret: SecretConfiguration,
  environment: Environment,
  folder: string,
  fault: (message: string) => void,
): string {
  let missing = false;
  const text = readSecret(secret, environment, folder, (message) => {
    missing = true;
    fault(message);
  });
  if (!missing && !isPem(text)) fault("is neither a certificate nor a private key in PEM");
  return text;
}

/** Reads the certificates for calls to a server. Faults are reported below `tls`. */
export function readTls(
  tls: TlsConfiguration | undefined,
  environment: Environment,
  folder: string,
  fault: SecretFault,
): TlsSettings {
  const pem = (secret: SecretConfiguration | undefined, path: string): string | undefined =>
    secret && readPem(secret, environment, folder, (message) => fault(path, message));
  return {
    authorities: pem(tls?.authorities, "authorities"),
    certificate: pem(tls?.client?.certificate, "client.certificate"),
    key: pem(tls?.client?.key, "client.key"),
  };
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
