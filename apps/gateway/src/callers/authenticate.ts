import { invalidToken, missingToken, Refusal } from "@insurance-gateway/core/runtime";
import type { CompactJWSHeaderParameters } from "jose";
import * as errors from "jose/errors";
import { compactVerify } from "jose/jws/compact/verify";
import type { AuthenticationConfiguration } from "../configuration/file.ts";
import type { Time } from "../time.ts";
import type { Caller } from "./caller.ts";
import { type JsonObject, readCompactForm, tokenInHeader } from "./compact-form.ts";
import { type Issuer, type IssuerKey, KeysUnavailableError } from "./issuer.ts";
import { countRefusedTokens } from "./token-faults.ts";
import { createVerifiedTokens, type VerifiedToken } from "./verified-tokens.ts";

/** The credentials of a request. */
export interface Credentials {
  readonly authorization: string | undefined;
  /** Returns the IP address of the caller. The address is needed only if the token is not cached. */
  readonly address: () => string;
}

/**
 * Identifies the caller of a request.
 * @throws Refusal UNAUTHENTICATED for an invalid token; RATE_LIMITED if many tokens from the caller's address were
 * refused; AUTHENTICATION_UNAVAILABLE if the issuer's keys cannot be fetched
 */
export type Authenticate = (credentials: Credentials) => Promise<Caller>;

/** The settings for the check of tokens. A reload replaces these settings. */
export interface AuthenticationSettings extends AuthenticationConfiguration {
  readonly issuers: readonly Issuer[];
  /** The claim that names a token's tenant; undefined if there are no tenants. */
  readonly tenantClaim?: string | undefined;
  /** Maximum size of a token, in bytes. */
  readonly tokenBytes: number;
}

/** Arguments of `createAuthenticate`. */
export interface AuthenticateParts {
  /** Returns the current settings. A request is checked with the settings at the time of its arrival. */
  readonly settings: () => AuthenticationSettings;
  readonly time: Time;
  /** Called for every refused token, with the token's fault. */
  readonly tokenRefused?: (fault: string) => void;
}

/**
 * Creates the check of bearer tokens (RFC 6750). A token must be a signed JSON Web Token (RFC 7519, RFC 8725) of one
 * of the issuers. Cheap checks come first, so that a flood of malformed, foreign or expired tokens costs little.
 */
export function createAuthenticate(parts: AuthenticateParts): Authenticate {
  const { settings, time, tokenRefused = () => {} } = parts;
  const verified = createVerifiedTokens(settings, time);
  const refused = countRefusedTokens(() => settings().refusedTokens);

  async function check(authorization: string, address: () => string): Promise<Caller> {
    const now = settings();
    try {
      refused.admit(address());
      const shown = tokenInHeader(authorization, now.tokenBytes);
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

/** Checks a token's form, header, claims and signature. @throws Refusal for an invalid token */
async function verify(
  token: string,
  { issuers, tenantClaim }: Pick<AuthenticationSettings, "issuers" | "tenantClaim">,
  time: Time,
): Promise<VerifiedToken> {
  const { claims, header } = readCompactForm(token);
  // Before the signature is checked, `iss` only selects the issuer whose keys and rules apply.
  const issuer = issuers.find((one) => one.issuer === claims.iss);
  if (issuer === undefined) throw invalidToken("unknown_issuer");
  checkHeader(header, issuer);
  const { expiresAt } = checkClaims(claims, issuer, time.now() / 1_000);
  const caller = callerOf(claims, issuer, tenantClaim);
  const keyId = await checkSignature(token, header, issuer);
  // Every character of a token is one byte.
  return { caller, expiresAt, issuer, keyId, bytes: token.length };
}

/**
 * Maximum time in a token: 9999-12-31T23:59:59Z. A larger number is probably in milliseconds instead of seconds; with
 * it, the token would never expire.
 */
const MAX_TIME_SECONDS = 253_402_300_799;

/**
 * Checks the type and algorithm in a token's header (RFC 8725, sections 3.1 and 3.11). This cheap check comes before
 * the check of the signature.
 * @throws Refusal
 */
function checkHeader(header: JsonObject, { algorithms, typ }: Issuer): void {
  if ("crit" in header || "b64" in header) throw invalidToken("extension");
  if (!algorithms.some((algorithm) => algorithm === header.alg))
    throw invalidToken("wrong_algorithm");
  if (!isSameMediaType(header.typ, typ)) throw invalidToken("wrong_type");
}

/**
 * Compares a token's `typ` with the issuer's type, in any letter case, with or without `application/` (RFC 7515,
 * section 4.1.9). If no type is expected, `typ` may be missing or `JWT`.
 */
function isSameMediaType(typ: unknown, expected: string | null): boolean {
  if (typ === undefined) return expected === null;
  return typeof typ === "string" && mediaType(typ) === mediaType(expected ?? "JWT");
}

function mediaType(typ: string): string {
  return (typ.includes("/") ? typ : `application/${typ}`).toLowerCase();
}

/**
 * Checks the claims of a token (RFC 7519, section 4.1) besides `iss`. This cheap check comes before the check of the
 * signature.
 * @param now - in seconds since 1970
 * @throws Refusal
 */
function checkClaims(
  { aud, cnf, exp, iat = 0, nbf = 0 }: JsonObject,
  { audience, clockSkewSeconds }: Issuer,
  now: number,
): { readonly expiresAt: number } {
  if (aud !== audience && !(Array.isArray(aud) && aud.includes(audience)))
    throw invalidToken("wrong_audience");
  if (cnf !== undefined) throw invalidToken("bound");
  if (!isTimeClaim(exp) || !isTimeClaim(iat) || !isTimeClaim(nbf)) throw invalidToken("no_instant");
  if (exp <= now - clockSkewSeconds) throw invalidToken("expired");
  if (Math.max(iat, nbf) > now + clockSkewSeconds) throw invalidToken("not_yet_valid");
  return { expiresAt: exp };
}

function isTimeClaim(value: unknown): value is number {
  return typeof value === "number" && value <= MAX_TIME_SECONDS;
}

/**
 * Returns the caller that a token identifies.
 * @param tenantClaim - the claim that names the tenant; undefined if there are no tenants
 * @throws Refusal if the token identifies no caller
 */
export function callerOf(
  claims: JsonObject,
  { issuer, scopesRequired }: Issuer,
  tenantClaim?: string,
): Caller {
  const { client_id: client, sub } = claims;
  const name = sub === undefined ? client : sub;
  if (typeof name !== "string" || name === "") throw invalidToken("no_subject");
  // The subject begins with the claim's name, because a client may have the same name as another caller's subject (RFC
  // 9068, section 5).
  const subject = sub === undefined ? `client_id ${name}` : `sub ${name}`;
  const tenant = tenantClaim === undefined ? null : tenantIn(claims, tenantClaim);
  return { issuer, subject, tenant, scopes: scopesRequired ? scopesOf(claims) : null };
}

/** Returns the tenant of a token. Only a text names a tenant, because a list or an object is ambiguous. */
function tenantIn(claims: JsonObject, claim: string): string | null {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  return typeof value === "string" && value !== "" ? value : null;
}

/**
 * Returns the scopes of a token: `scope` (RFC 8693, section 4.2; RFC 9068, section 2.2.3), or `scp`, in which some
 * products write names separated by spaces, and others an array of names. Any other form grants no scope.
 */
function scopesOf({ scope, scp }: JsonObject): readonly string[] {
  if (scope !== undefined) return typeof scope === "string" ? splitScopes(scope) : [];
  if (typeof scp === "string") return splitScopes(scp);
  return Array.isArray(scp) ? scp.filter((word) => typeof word === "string") : [];
}

function splitScopes(scope: string): readonly string[] {
  return scope.split(" ").filter((word) => word !== "");
}

/**
 * Checks a token's signature with the key that the token's header names.
 * @param header - the token's header, whose `alg` was checked before
 * @returns the id of the key
 * @throws Refusal if the signature is wrong, or the issuer's keys cannot be fetched
 */
async function checkSignature(token: string, header: JsonObject, issuer: Issuer): Promise<string> {
  const { id, key } = await findTokenKey(header, issuer);
  try {
    await compactVerify(token, key, { algorithms: [...issuer.algorithms] });
    return id;
  } catch (error) {
    const forged = error instanceof errors.JWSSignatureVerificationFailed;
    throw invalidToken(forged ? "wrong_signature" : "unusable_key");
  }
}

async function findTokenKey({ alg, kid }: JsonObject, issuer: Issuer): Promise<IssuerKey> {
  try {
    // `checkHeader` has checked `alg`, and jose checks `kid`.
    return await issuer.findKey({ alg, kid } as CompactJWSHeaderParameters);
  } catch (error) {
    if (error instanceof KeysUnavailableError) throw keysUnavailableRefusal();
    const none =
      error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;
    throw invalidToken(none ? "unknown_key" : "unusable_key");
  }
}

/**
 * Returns the refusal while the issuer's keys are unavailable. Its status is not 401, because the token may be valid.
 */
function keysUnavailableRefusal(): Refusal {
  return new Refusal("AUTHENTICATION_UNAVAILABLE", {
    detail:
      "The gateway cannot fetch the keys of the token's issuer, so it cannot check the token; try again after Retry-After.",
    reason: "keys_unavailable",
    headers: { "retry-after": "5" },
  });
}
