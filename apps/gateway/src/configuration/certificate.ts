import type { Configuration } from "./load.ts";
import { belongTogether, readPem } from "./pem.ts";
import type { ReadSecret } from "./secrets.ts";

/** The certificate that callers are shown, with its key, both in PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/**
 * Reads the certificate of the configuration; null where callers are served plain HTTP.
 * @param fault - is called for everything that is wrong, with its path
 */
export function readCertificate(
  { listen }: Pick<Configuration, "listen">,
  readSecret: ReadSecret,
  fault: (fault: string) => void,
): Certificate | null {
  const { tls } = listen;
  if (tls === undefined) return null;
  let isUsable = true;
  const read = (part: keyof Certificate): string =>
    readPem(tls[part], readSecret, (message) => {
      isUsable = false;
      fault(`listen.tls.${part}: ${message}`);
    });
  const certificate = { certificate: read("certificate"), key: read("key") };
  if (isUsable && !belongTogether(certificate.certificate, certificate.key))
    fault("listen.tls: the key is not the certificate's");
  return certificate;
}
