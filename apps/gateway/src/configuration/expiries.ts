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
  /** The segment of its insurer; empty for the certificates of the gateway's own addresses. */
  readonly segment: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Reads when the credentials and certificates of a configuration end. Credentials do not say it themselves: `expires` of
 * the configuration does. Those of accounts in the store are in the store.
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
            ...endOf("client_certificate", segment, insurer.tls.certificate),
          ],
    ),
    ...configuration.accounts.list.flatMap(({ credentials, id, segment }) =>
      expiriesOfAccount(segment, credentials, accounts.get(id)),
    ),
    ...endOf("certificate", "", certificate?.certificate),
    ...endOf("certificate", "", operationsCertificate?.certificate),
  ];
}

/** Reads when the credentials of an account end, and the certificates of token servers' clients among them. */
export function expiriesOfAccount(
  segment: string,
  configured: CredentialsConfiguration | undefined,
  read: { readonly credentials: readonly InsurerCredential[] | null } | undefined,
): readonly Expiry[] {
  // Most end at no known time: of thousands, no list is made for each.
  if (configured === undefined || !mayEnd(configured)) return none;
  const own = [configured].flat().flatMap((one): readonly Expiry[] => {
    const expires = expiresOf(one);
    return expires === undefined ? [] : [{ what: "credentials", segment, at: Date.parse(expires) }];
  });
  const certificates = (read?.credentials ?? []).flatMap((one) =>
    one.type === "oauth2" ? endOf("client_certificate", segment, one.tls.certificate) : [],
  );
  return [...own, ...certificates];
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

/** When a certificate in PEM ends. */
function endOf(what: Expiry["what"], segment: string, pem: string | undefined): readonly Expiry[] {
  return pem === undefined
    ? []
    : [{ what, segment, at: new X509Certificate(pem).validToDate.getTime() }];
}
