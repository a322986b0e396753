import { randomUUID } from "node:crypto";
import { compact, type KeyPair, type Sign, signWith } from "./signing.ts";

/** `iss` and `aud` of good tokens. */
export const ISSUER = "https://login.example";
export const AUDIENCE = "insurance-gateway";
/** Who good tokens speak for: it must be in no log. */
export const SUBJECT = "broker-7f3a-Μαρία";

/** How a token differs from a good one; a header or claim that is undefined is left out. */
export interface TokenChanges {
  readonly header?: object;
  readonly claims?: object;
  readonly sign?: Sign;
}

/** The header of a good token of the key `rsa-1`. */
export function goodHeader(changes: object = {}): object {
  return { typ: "at+jwt", alg: "RS256", kid: "rsa-1", ...changes };
}

/** The claims of a good token. */
export function goodClaims(changes: object = {}, nowMs: number = Date.now()): object {
  const now = Math.floor(nowMs / 1_000);
  return {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: SUBJECT,
    client_id: "portal",
    iat: now,
    exp: now + 300,
    jti: randomUUID(),
    ...changes,
  };
}

/** A token of an RSA key that is `rsa-1`, good but for the changes. */
export function makeToken(
  { key }: KeyPair,
  { claims = {}, header = {}, sign = signWith.RS256(key) }: TokenChanges = {},
): string {
  return compact(goodHeader(header), goodClaims(claims), sign);
}

/** The settings of the issuer of good tokens. */
export function issuerConfiguration(jwksUri: string, more: object = {}): object {
  return { issuer: ISSUER, audience: AUDIENCE, jwksUri, algorithms: ["RS256", "ES256"], ...more };
}
