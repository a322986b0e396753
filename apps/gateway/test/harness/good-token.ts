import { randomUUID } from "node:crypto";
import { compact, type KeyPair, type Sign, signWith } from "./signing.ts";

/** The claim `iss` of good tokens. */
export const ISSUER = "https://login.example";
/** The claim `aud` of good tokens. */
export const AUDIENCE = "insurance-gateway";
/** The subject of good tokens. The subject must not appear in the log. */
export const SUBJECT = "broker-7f3a-Μαρία";

/** The differences between a token and a good token. A header or claim that is undefined is omitted. */
export interface TokenChanges {
  readonly header?: object;
  readonly claims?: object;
  readonly sign?: Sign;
}

/** Returns the header of a good token. The header names the key `rsa-1`. */
export function goodHeader(changes: object = {}): object {
  return { typ: "at+jwt", alg: "RS256", kid: "rsa-1", ...changes };
}

/** Returns the claims of a good token. */
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

/** Returns a good token with the given changes. By default, the token is signed with the key `rsa-1`. */
export function makeToken(
  { key }: KeyPair,
  { claims = {}, header = {}, sign = signWith.RS256(key) }: TokenChanges = {},
): string {
  return compact(goodHeader(header), goodClaims(claims), sign);
}

/** Returns the settings of the issuer of good tokens. */
export function issuerConfiguration(jwksUri: string, more: object = {}): object {
  return { issuer: ISSUER, audience: AUDIENCE, jwksUri, algorithms: ["RS256", "ES256"], ...more };
}
