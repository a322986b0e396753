import { createSecureContext } from "node:tls";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import type { Configuration, Environment } from "../configuration/load.ts";
import { readPem } from "../configuration/pem.ts";

/** The certificate that callers are shown, with its key, both in PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/**
 * Reads the certificate of the configuration; null where callers are served plain HTTP.
 * @throws ConfigurationError when it cannot be used, with every fault
 */
export function openCertificate(
  { folder, listen, source }: Configuration,
  environment: Environment,
): Certificate | null {
  const { tls } = listen;
  if (tls === undefined) return null;
  const faults: string[] = [];
  const read = (part: keyof Certificate): string =>
    readPem(tls[part], environment, folder, (message) =>
      faults.push(`listen.tls.${part}: ${message}`),
    );
  const certificate = { certificate: read("certificate"), key: read("key") };
  if (faults.length === 0 && !belongTogether(certificate))
    faults.push("listen.tls: the key is not the certificate's");
  if (faults.length > 0) throw new ConfigurationError(source, faults);
  return certificate;
}

function belongTogether({ certificate, key }: Certificate): boolean {
  try {
    createSecureContext({ cert: certificate, key });
    return true;
  } catch {
    return false;
  }
}
