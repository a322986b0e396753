/** The caller of a request, from its verified token. */
export interface Caller {
  readonly issuer: string;
  /** The identifying claim and its value: `sub NAME`, or `client_id NAME` if a token has no subject. */
  readonly subject: string;
  /** The tenant that the token names; null if the token names no tenant, or if `accounts.claim` is not configured. */
  readonly tenant: string | null;
  /** The permissions of the token, as PROVIDER:KIND with * for all; null if the issuer's tokens need no scope. */
  readonly scopes: readonly string[] | null;
}
