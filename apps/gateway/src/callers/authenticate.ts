import type { AuthenticationConfiguration } from "../configuration/file.ts";
import { Refusal } from "../problems/refusal.ts";
import type { Time } from "../time.ts";
import type { Caller } from "./caller.ts";
import { callerOf, checkClaims, checkHeader } from "./claims.ts";
import { readCompactForm, shownToken } from "./compact-form.ts";
import type { Issuer } from "./issuer.ts";
import { countRefusedTokens } from "./refused-tokens.ts";
import { checkSignature } from "./signature.ts";
import { invalidToken, missingToken } from "./token-faults.ts";
import { createVerifiedTokens, type VerifiedToken } from "./verified-tokens.ts";

/** The credentials of a request. */
export interface Credentials {
  readonly authorization: string | undefined;
  /** Returns the address it comes from: asked for only where the token is not known. */
  readonly address: () => string;
}

/**
 * Identifies the caller of a request. Throws a Refusal for anything but a valid token: UNAUTHENTICATED, whatever is wrong;
 * RATE_LIMITED, when many tokens of the address were refused; AUTHENTICATION_UNAVAILABLE, when the issuer's keys cannot be fetched.
 */
export type Authenticate = (credentials: Credentials) => Promise<Caller>;

/** What tokens are checked with until the next reload. */
export interface AuthenticationSettings extends AuthenticationConfiguration {
  readonly issuers: readonly Issuer[];
  /** The claim that names a token's tenant; undefined if there are no tenants. */
  readonly tenantClaim?: string | undefined;
  /** How many bytes a token may have. */
  readonly tokenBytes: number;
}

/** What authentication is made of. */
export interface AuthenticateParts {
  /** The settings that count now; each request is checked with those of its arrival. */
  readonly settings: () => AuthenticationSettings;
  readonly time: Time;
  /** Called for every token that was refused, with its fault. */
  readonly tokenRefused?: (fault: string) => void;
}

/**
 * Accepts bearer tokens (RFC 6750) that are signed JSON Web Tokens (RFC 7519, RFC 8725) of one of the issuers. What costs
 * little is checked first, so that a flood of tokens that are malformed, foreign or expired costs little.
 */
export function createAuthenticate(parts: AuthenticateParts): Authenticate {
  const { settings, time, tokenRefused = () => {} } = parts;
  const verified = createVerifiedTokens(settings, time);
  const refused = countRefusedTokens(() => settings().refusedTokens);

  async function check(authorization: string, address: () => string): Promise<Caller> {
    const now = settings();
    try {
      refused.admit(address());
      const shown = shownToken(authorization, now.tokenBytes);
      if ("fault" in shown) throw invalidToken(shown.fault);
      const token = await verify(shown.token, now, time);
      verified.keep(shown.token, token);
      return token.caller;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === "UNAUTHENTICATED") refused.count(address());
      if (error.code !== "AUTHENTICATION_UNAVAILABLE") tokenRefused(error.details.reason ?? "");
      throw error;
    }
  }

  return async ({ address, authorization }) => {
    if (authorization === undefined) throw missingToken();
    return verified.find(authorization) ?? check(authorization, address);
  };
}

/** Verifies a token from its form to its signature; throws a Refusal. */
async function verify(
  token: string,
  { issuers, tenantClaim }: Pick<AuthenticationSettings, "issuers" | "tenantClaim">,
  time: Time,
): Promise<VerifiedToken> {
  const { claims, header } = readCompactForm(token);
  // Before anything of it is believed, iss only chooses what the token is checked with.
  const issuer = issuers.find((one) => one.issuer === claims.iss);
  if (issuer === undefined) throw invalidToken("unknown_issuer");
  checkHeader(header, issuer);
  const { expiresAt } = checkClaims(claims, issuer, time.now() / 1_000);
  const caller = callerOf(claims, issuer, tenantClaim);
  const keyId = await checkSignature(token, header, issuer);
  // Every character of it is one byte.
  return { caller, expiresAt, issuer, keyId, bytes: token.length };
}
