import { X509Certificate } from "node:crypto";
import type { AccountContent } from "./account.ts";
import type { CredentialConfiguration, CredentialsConfiguration } from "./file.ts";
import type { InsurerCredential } from "./insurer-credentials.ts";
import type { Configuration } from "./load.ts";
import type { Certificate } from "./pem.ts";
import type { InstalledProvider } from "./providers.ts";

/** The expiry of credentials or of a certificate, which the operator must renew before this time. */
export interface Expiry {
  readonly what: "credentials" | "client_certificate" | "certificate";
  /** The provider's path segment; empty for the certificates of the gateway's own addresses. */
  readonly segment: string;
  /** When the credential or certificate expires, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * Returns the expiry dates of a configuration's credentials and certificates. The setting `expires` states the date of
 * credentials. The expiry dates of accounts in the store are not included.
 */
export function expiriesOf({
  accounts,
  certificate,
  configuration,
  installed,
  operationsCertificate,
}: {
  readonly configuration: Configuration;
  readonly installed: readonly InstalledProvider[];
  readonly accounts: ReadonlyMap<string, AccountContent>;
  readonly certificate: Certificate | null;
  readonly operationsCertificate: Certificate | null;
}): readonly Expiry[] {
  return [
    ...installed.flatMap(({ segment, settings: { upstream }, upstream: insurer }) =>
      typeof upstream === "string" || "sandbox" in insurer
        ? []
        : [
            ...expiriesOfAccount(segment, upstream.credentials, insurer),
            ...certificateExpiries("client_certificate", segment, insurer.tls.certificate),
          ],
    ),
    ...configuration.accounts.list.flatMap(({ credentials, id, segment }) =>
      expiriesOfAccount(segment, credentials, accounts.get(id)),
    ),
    ...certificateExpiries("certificate", "", certificate?.certificate),
    ...certificateExpiries("certificate", "", operationsCertificate?.certificate),
  ];
}

/** Returns the expiry dates of an account's credentials, and of its client certificates for token servers. */
export function expiriesOfAccount(
  segment: string,
  configured: CredentialsConfiguration | undefined,
  read: { readonly credentials: readonly InsurerCredential[] | null } | undefined,
): readonly Expiry[] {
  // Most accounts have no known expiry. They share one empty list.
  if (configured === undefined || !mayExpire(configured)) return NO_EXPIRIES;
  const own = [configured].flat().flatMap((one): readonly Expiry[] => {
    const expires = expirySetting(one);
    return expires === undefined ? [] : [{ what: "credentials", segment, at: Date.parse(expires) }];
  });
  const certificates = (read?.credentials ?? []).flatMap((one) =>
    one.type === "oauth2"
      ? certificateExpiries("client_certificate", segment, one.tls.certificate)
      : [],
  );
  return [...own, ...certificates];
}

const NO_EXPIRIES: readonly Expiry[] = [];

/** Reports whether credentials may have a known expiry. */
function mayExpire(credentials: CredentialsConfiguration): boolean {
  if (!("type" in credentials)) return credentials.some(mayExpire);
  return credentials.type === "oauth2" || expirySetting(credentials) !== undefined;
}

function expirySetting(credential: CredentialConfiguration): string | undefined {
  return credential.type === "none" ? undefined : credential.expires;
}

/** Returns the expiry of a certificate in PEM. */
function certificateExpiries(
  what: Expiry["what"],
  segment: string,
  pem: string | undefined,
): readonly Expiry[] {
  return pem === undefined
    ? []
    : [{ what, segment, at: new X509Certificate(pem).validToDate.getTime() }];
}
