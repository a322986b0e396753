import { Refusal } from "../problems/refusal.ts";

/**
 * Everything that a token is refused for. The operator's log and metrics name it; a caller gets the same answer for each
 * but `flood`, so that nobody learns from it how to forge a token.
 */
export const tokenFaults = {
  not_bearer: "the Authorization header is not Bearer and one token (RFC 6750, section 2.1)",
  too_long: "it has more bytes than limits.tokenBytes",
  not_compact: "it is not three parts of canonical base64url (RFC 7515, section 7.1)",
  not_json:
    "its header or its claims are no JSON object in UTF-8 whose names are unique (RFC 7515, section 4; RFC 7519, section 4)",
  unknown_issuer: "its iss is not exactly a configured issuer's",
  extension:
    "its header has crit or b64; the gateway knows no extension (RFC 7515, section 4.1.11)",
  wrong_algorithm: "its alg is not among the issuer's",
  wrong_type: "its typ is not the issuer's: it may be an ID token (RFC 9068, section 4)",
  wrong_audience: "its aud is not exactly the issuer's audience, nor an array with it",
  bound: "it is bound to a key that was not shown (cnf, RFC 7800)",
  no_instant: "it has no exp, or its exp, nbf or iat is no number of seconds",
  expired: "its exp is past",
  not_yet_valid: "its nbf or iat is in the future",
  no_subject: "it says of nobody that it speaks for them (sub, or client_id without any sub)",
  unknown_key:
    "none of the issuer's keys that may be used is the one it names, or several could be",
  unusable_key: "the issuer's key is malformed, private, or too short",
  wrong_signature: "its signature is not that key's",
  flood: "its address has sent too many refused tokens before it; it was not read",
} as const;

/** What is wrong with a token. */
export type TokenFault = keyof typeof tokenFaults;

/** The answer to a request with a token that is not valid, whatever is wrong with it. */
export function invalidToken(fault: TokenFault): Refusal {
  return new Refusal("UNAUTHENTICATED", {
    detail:
      "The token is not valid here: check its issuer, audience, type, signature, key and expiry.",
    reason: fault,
    headers: { "www-authenticate": 'Bearer realm="insurance-gateway", error="invalid_token"' },
  });
}

/** The answer to a request without a token: no error code, for there was nothing wrong (RFC 6750, section 3.1). */
export function missingToken(): Refusal {
  return new Refusal("UNAUTHENTICATED", {
    detail: "Send Authorization: Bearer <token>.",
    headers: { "www-authenticate": 'Bearer realm="insurance-gateway"' },
  });
}
