import type { Configuration } from "./load.ts";
import { belongTogether, readPem } from "./pem.ts";
import type { ReadSecret } from "./secrets.ts";

/** A certificate of one of the gateway's own addresses, with its key, both in PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/**
 * Reads the certificate of an address: that of callers, or that of the operator. Null where it is plain HTTP.
 * @param fault - is called for everything that is wrong, with its path
 */
export function readCertificate(
  configuration: Pick<Configuration, "listen" | "operations">,
  address: "listen" | "operations",
  readSecret: ReadSecret,
  fault: (fault: string) => void,
): Certificate | null {
  const { tls } = configuration[address];
  if (tls === undefined) return null;
  let isUsable = true;
  const read = (part: keyof Certificate): string =>
    readPem(tls[part], readSecret, (message) => {
      isUsable = false;
      fault(`${address}.tls.${part}: ${message}`);
    });
  const certificate = { certificate: read("certificate"), key: read("key") };
  if (isUsable && !belongTogether(certificate.certificate, certificate.key))
    fault(`${address}.tls: the key is not the certificate's`);
  return certificate;
}
