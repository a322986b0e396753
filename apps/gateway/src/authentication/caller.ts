/** Who makes a request, as a verified token says. */
export interface Caller {
  readonly issuer: string;
  /** The token's subject, or its client where it has no subject. */
  readonly subject: string;
  /** What the token allows, as PROVIDER:KIND with * for all; null where its issuer's tokens need no scope. */
  readonly scopes: readonly string[] | null;
}
