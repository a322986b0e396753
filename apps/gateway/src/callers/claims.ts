import type { Caller } from "./caller.ts";
import type { JsonObject } from "./compact-form.ts";
import type { Issuer } from "./issuer.ts";
import { invalidToken } from "./token-faults.ts";

/** 9999-12-31T23:59:59Z. Beyond it are milliseconds written for seconds: such a token would never expire. */
const LAST_INSTANT = 253_402_300_799;

/**
 * Checks what a token's header says of its kind (RFC 8725, sections 3.1 and 3.11). It costs next to nothing, and so comes
 * before the signature.
 * @throws Refusal
 */
export function checkHeader(header: JsonObject, { algorithms, typ }: Issuer): void {
  if ("crit" in header || "b64" in header) throw invalidToken("extension");
  if (!algorithms.some((algorithm) => algorithm === header.alg))
    throw invalidToken("wrong_algorithm");
  if (!isType(header.typ, typ)) throw invalidToken("wrong_type");
}

/** RFC 7515, section 4.1.9: a media type, in any case, which may leave out `application/`. JWT by itself says nothing. */
function isType(typ: unknown, expected: string | null): boolean {
  if (typ === undefined) return expected === null;
  return typeof typ === "string" && mediaType(typ) === mediaType(expected ?? "JWT");
}

function mediaType(typ: string): string {
  return (typ.includes("/") ? typ : `application/${typ}`).toLowerCase();
}

/**
 * Checks what a token claims (RFC 7519, section 4.1), whose issuer is already known. It costs next to nothing, and so
 * comes before the signature.
 * @param now - in seconds since 1970
 * @throws Refusal
 */
export function checkClaims(
  { aud, cnf, exp, iat = 0, nbf = 0 }: JsonObject,
  { audience, clockSkewSeconds }: Issuer,
  now: number,
): { readonly expiresAt: number } {
  if (aud !== audience && !(Array.isArray(aud) && aud.includes(audience)))
    throw invalidToken("wrong_audience");
  if (cnf !== undefined) throw invalidToken("bound");
  if (!isInstant(exp) || !isInstant(iat) || !isInstant(nbf)) throw invalidToken("no_instant");
  if (exp <= now - clockSkewSeconds) throw invalidToken("expired");
  if (Math.max(iat, nbf) > now + clockSkewSeconds) throw invalidToken("not_yet_valid");
  return { expiresAt: exp };
}

function isInstant(value: unknown): value is number {
  return typeof value === "number" && value <= LAST_INSTANT;
}

/**
 * The caller that a token identifies.
 * @param tenantClaim - the claim that names its tenant; undefined if there are no tenants
 * @throws Refusal when it is nobody
 */
export function callerOf(
  claims: JsonObject,
  { issuer, scopesRequired }: Issuer,
  tenantClaim?: string,
): Caller {
  const { client_id: client, sub } = claims;
  const name = sub === undefined ? client : sub;
  if (typeof name !== "string" || name === "") throw invalidToken("no_subject");
  // A client may have the name of somebody else (RFC 9068, section 5).
  const subject = sub === undefined ? `client_id ${name}` : `sub ${name}`;
  const tenant = tenantClaim === undefined ? null : tenantIn(claims, tenantClaim);
  return { issuer, subject, tenant, scopes: scopesRequired ? scopesOf(claims) : null };
}

/** Only one text names a tenant: of a list or an object nobody could say which of its values is meant. */
function tenantIn(claims: JsonObject, claim: string): string | null {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  return typeof value === "string" && value !== "" ? value : null;
}

/**
 * What a token's scopes are: `scope` (RFC 8693, section 4.2; RFC 9068, section 2.2.3), or `scp`, as several products
 * write it, as names separated by spaces or as an array. Anything else grants no scope.
 */
function scopesOf({ scope, scp }: JsonObject): readonly string[] {
  if (scope !== undefined) return typeof scope === "string" ? wordsOf(scope) : [];
  if (typeof scp === "string") return wordsOf(scp);
  return Array.isArray(scp) ? scp.filter((word) => typeof word === "string") : [];
}

function wordsOf(scope: string): readonly string[] {
  return scope.split(" ").filter((word) => word !== "");
}
