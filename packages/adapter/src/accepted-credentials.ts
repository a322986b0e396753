/** A type of credential that an insurer accepts, with the name that the configuration uses. */
export type AcceptedCredential =
  | { readonly type: "apiKey"; readonly header: string }
  | { readonly type: "basic" }
  | { readonly type: "bearer" }
  /** A user name and a password in the message itself. */
  | { readonly type: "message" }
  | {
      readonly type: "oauth2";
      /** The address of the token server, if the insurer's API document has it. */
      readonly tokenUrl?: string;
      readonly scopes?: readonly string[];
    };

/** Alternative lists of credentials. The credentials of a list are sent together; an empty list needs no credential. */
export type AcceptedCredentials = readonly (readonly AcceptedCredential[])[];

/** The properties of a configured credential that `credentialsFault` compares. */
export interface ConfiguredCredential {
  readonly type: string;
  /** The name of the header with an API key. */
  readonly header?: string;
}

/**
 * Compares the configured credentials with those that an insurer accepts. Additional credentials are allowed, because
 * an API document often omits the key of a proxy in front of the insurer. All types with a token count as equal.
 * @param accepted - undefined if unknown
 * @returns the fault as the end of a sentence, or null
 */
export function credentialsFault(
  accepted: AcceptedCredentials | undefined,
  configured: readonly ConfiguredCredential[],
): string | null {
  const kinds = new Set(configured.map(credentialKeyOf));
  const isEnough =
    accepted === undefined ||
    accepted.some((all) => all.every((one) => kinds.has(credentialKeyOf(one))));
  return isEnough
    ? null
    : `must have ${accepted.map((all) => all.map(credentialWords).join(" with ")).join(", or ")}: the insurer accepts nothing else`;
}

/** Returns the text by which credentials are compared. Types with a token are equal; header names are in lower case. */
function credentialKeyOf({ header = "", type }: ConfiguredCredential): string {
  if (type === "oauth2" || type === "login") return "bearer";
  if (type !== "apiKey") return type;
  return header.toLowerCase() === "authorization" ? "bearer" : `apiKey ${header.toLowerCase()}`;
}

function credentialWords(credential: AcceptedCredential): string {
  return credential.type === "apiKey" ? `apiKey in ${credential.header}` : credential.type;
}
