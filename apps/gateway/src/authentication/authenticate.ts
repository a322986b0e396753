import { decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { Refusal } from "../problems/refusal.ts";
import type { Caller } from "./caller.ts";

/** One issuer whose tokens are accepted. */
export interface Issuer {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
  /** Finds the key that a token names. */
  readonly keys: JWTVerifyGetKey;
}

/** What a request shows of who sends it. */
export interface Credentials {
  readonly authorization: string | undefined;
  /** The address it comes from. */
  readonly address: string;
}

/** Says who sends a request; throws a Refusal for anything but a valid token. */
export type Authenticate = (credentials: Credentials) => Promise<Caller>;

/** How far two clocks may be apart. */
const CLOCK_SKEW_SECONDS = 60;
const MAXIMUM_TOKEN_CHARACTERS = 8 * 1024;

/** Accepts bearer tokens (RFC 6750) that are JSON Web Tokens (RFC 7519) of one of the issuers. */
export function createAuthenticate(issuers: readonly Issuer[]): Authenticate {
  const byName = new Map(issuers.map((issuer) => [issuer.issuer, issuer]));
  return async ({ authorization }) => {
    const [, token] = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? "") ?? [];
    if (authorization === undefined)
      throw unauthenticated("Send Authorization: Bearer <token>.", null);
    if (token === undefined || token.length > MAXIMUM_TOKEN_CHARACTERS) throw invalidToken();
    const issuer = byName.get(issuerOf(token));
    if (issuer === undefined) throw invalidToken();
    return callerOf(await verify(token, issuer));
  };
}

/** The issuer a token names, before anything of it is believed: it only chooses the keys to verify it with. */
function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? "";
  } catch {
    return "";
  }
}

async function verify(token: string, issuer: Issuer): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, issuer.keys, {
      issuer: issuer.issuer,
      audience: issuer.audience,
      algorithms: [...issuer.algorithms],
      clockTolerance: CLOCK_SKEW_SECONDS,
      requiredClaims: ["exp"],
    });
    return payload;
  } catch (error) {
    if (isTokenFault(error)) throw invalidToken();
    throw new Refusal("INTERNAL_ERROR", {
      detail:
        "The gateway cannot fetch its issuer's keys, so no token can be checked; try again later.",
      headers: { "retry-after": "5" },
    });
  }
}

/** Whether verification failed because of the token, rather than because the issuer's keys could not be had. */
function isTokenFault(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  // jose gives its own base class alone to a JWKS answer that is not 200.
  return error instanceof errors.JOSEError && error.code !== "ERR_JOSE_GENERIC";
}

function callerOf(payload: JWTPayload): Caller {
  const subject = payload.sub ?? payload.client_id;
  if (typeof subject !== "string" || subject === "") throw invalidToken();
  return { issuer: payload.iss ?? "", subject, scopes: null };
}

/** One answer for everything that can be wrong with a token, so that it tells an attacker nothing. */
function invalidToken(): Refusal {
  return unauthenticated(
    "The token is not valid here: check its issuer, audience, signature and expiry.",
    "invalid_token",
  );
}

function unauthenticated(detail: string, error: string | null): Refusal {
  const challenge = `Bearer realm="insurance-gateway"${error === null ? "" : `, error="${error}"`}`;
  return new Refusal("UNAUTHENTICATED", { detail, headers: { "www-authenticate": challenge } });
}
