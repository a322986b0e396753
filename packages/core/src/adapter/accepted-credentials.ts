/** A credential that an insurer takes, by the name that the configuration has for it. */
export type AcceptedCredential =
  | { readonly type: "apiKey"; readonly header: string }
  | { readonly type: "basic" }
  | { readonly type: "bearer" }
  /** A user name and a password in the message itself. */
  | { readonly type: "message" }
  | {
      readonly type: "oauth2";
      /** Where tokens are fetched; left out where the insurer's document does not say it. */
      readonly tokenUrl?: string;
      readonly scopes?: readonly string[];
    };

/** Lists of credentials that are sent together, of which one is enough; an empty list for none. */
export type AcceptedCredentials = readonly (readonly AcceptedCredential[])[];

/** What of a configured credential is compared. */
export interface ConfiguredCredential {
  readonly type: string;
  /** The header of an API key. */
  readonly header?: string;
}

/**
 * Says why configured credentials are not those that an insurer takes. Further ones are no fault: a document often leaves
 * out the key of a proxy before the insurer. A token is a token, however the gateway gets it.
 * @param accepted - undefined where nothing is known
 * @returns the end of a sentence; null without a fault
 */
export function credentialsFault(
  accepted: AcceptedCredentials | undefined,
  configured: readonly ConfiguredCredential[],
): string | null {
  const kinds = new Set(configured.map(kindOf));
  const isEnough =
    accepted === undefined || accepted.some((all) => all.every((one) => kinds.has(kindOf(one))));
  return isEnough
    ? null
    : `must have ${accepted.map((all) => all.map(wordsFor).join(" with ")).join(", or ")}: the insurer takes nothing else`;
}

/** What a credential is at the insurer: tokens are alike, and a header has the same name in any case. */
function kindOf({ header = "", type }: ConfiguredCredential): string {
  if (type === "oauth2" || type === "login") return "bearer";
  if (type !== "apiKey") return type;
  return header.toLowerCase() === "authorization" ? "bearer" : `apiKey ${header.toLowerCase()}`;
}

function wordsFor(credential: AcceptedCredential): string {
  return credential.type === "apiKey" ? `apiKey in ${credential.header}` : credential.type;
}
