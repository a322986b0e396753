import { X509Certificate } from "node:crypto";
import type { AccountContent } from "./account.ts";
import type { CredentialConfiguration, CredentialsConfiguration } from "./file.ts";
import type { InsurerCredential } from "./insurer-credentials.ts";
import type { Configuration } from "./load.ts";
import type { Certificate } from "./pem.ts";
import type { InstalledProvider } from "./providers.ts";

/** The end of something that an operator must renew. */
export interface Expiry {
  readonly what: "credentials" | "client_certificate" | "certificate";
  /** Of the insurer that it is for; empty for the certificates of the gateway's own addresses. */
  readonly segment: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Reads when the credentials and certificates of a configuration end. Credentials do not say it themselves: `expires` of
 * the configuration does. Those of accounts in the store are in the store.
 */
export function expiriesOf(settings: {
  readonly configuration: Configuration;
  readonly installed: readonly InstalledProvider[];
  readonly accounts: ReadonlyMap<string, AccountContent>;
  readonly certificate: Certificate | null;
  readonly operationsCertificate: Certificate | null;
}): readonly Expiry[] {
  const { configuration, accounts, installed } = settings;
  const ofProviders = installed.flatMap(
    ({ segment, settings: { upstream }, upstream: insurer }) => {
      if (typeof upstream === "string" || "sandbox" in insurer) return [];
      const certificates = [insurer.tls.certificate, ...certificatesIn(insurer.credentials)];
      return [
        ...ofCredentials(segment, upstream.credentials),
        ...ofCertificates(segment, certificates),
      ];
    },
  );
  const ofAccounts = configuration.accounts.list.flatMap(({ credentials, id, segment }) =>
    expiriesOfAccount(segment, credentials, accounts.get(id)),
  );
  const own = [settings.certificate, settings.operationsCertificate].flatMap((one) =>
    one === null ? [] : [endOf(one.certificate)],
  );
  return [
    ...ofProviders,
    ...ofAccounts,
    ...own.map((at): Expiry => ({ what: "certificate", segment: "", at })),
  ];
}

/** Reads when the credentials of an account end, and the certificates among them. */
export function expiriesOfAccount(
  segment: string,
  configured: CredentialsConfiguration | undefined,
  read: { readonly credentials: readonly InsurerCredential[] | null } | undefined,
): readonly Expiry[] {
  // Most end at no known time: of thousands, no list is made for each.
  if (configured === undefined || !mayEnd(configured)) return none;
  return [
    ...ofCredentials(segment, configured),
    ...ofCertificates(segment, certificatesIn(read?.credentials ?? [])),
  ];
}

const none: readonly Expiry[] = [];

/** Whether credentials can have an end that is known. */
function mayEnd(credentials: CredentialsConfiguration): boolean {
  if (!("type" in credentials)) return credentials.some(mayEnd);
  return credentials.type === "oauth2" || expiresOf(credentials) !== undefined;
}

function expiresOf(credential: CredentialConfiguration): string | undefined {
  return credential.type === "none" ? undefined : credential.expires;
}

function ofCredentials(segment: string, credentials: CredentialsConfiguration): readonly Expiry[] {
  return [credentials].flat().flatMap((one): readonly Expiry[] => {
    const expires = expiresOf(one);
    return expires === undefined ? [] : [{ what: "credentials", segment, at: Date.parse(expires) }];
  });
}

function ofCertificates(
  segment: string,
  certificates: readonly (string | undefined)[],
): readonly Expiry[] {
  return certificates.flatMap((pem): readonly Expiry[] =>
    pem === undefined ? [] : [{ what: "client_certificate", segment, at: endOf(pem) }],
  );
}

/** Of clients of token servers. */
function certificatesIn(
  credentials: readonly InsurerCredential[],
): readonly (string | undefined)[] {
  return credentials.map((one) => (one.type === "oauth2" ? one.tls.certificate : undefined));
}

function endOf(pem: string): number {
  return new X509Certificate(pem).validToDate.getTime();
}
