import type { CompactJWSHeaderParameters } from "jose";
import * as errors from "jose/errors";
import { compactVerify } from "jose/jws/compact/verify";
import { Refusal } from "../problems/refusal.ts";
import type { JsonObject } from "./compact-form.ts";
import { type Issuer, type IssuerKey, KeysUnavailableError } from "./issuer.ts";
import { invalidToken } from "./token-faults.ts";

/**
 * Checks a token's signature with the key that its header names.
 * @param header - whose `alg` is among the issuer's
 * @returns the `id` of that key
 * @throws Refusal when it is not that key's, or the issuer's keys cannot be fetched
 */
export async function checkSignature(
  token: string,
  header: JsonObject,
  issuer: Issuer,
): Promise<string> {
  const { id, key } = await keyOf(header, issuer);
  try {
    await compactVerify(token, key, { algorithms: [...issuer.algorithms] });
    return id;
  } catch (error) {
    const forged = error instanceof errors.JWSSignatureVerificationFailed;
    throw invalidToken(forged ? "wrong_signature" : "unusable_key");
  }
}

async function keyOf({ alg, kid }: JsonObject, issuer: Issuer): Promise<IssuerKey> {
  try {
    // The algorithm is one of the issuer's; jose checks kid itself.
    return await issuer.findKey({ alg, kid } as CompactJWSHeaderParameters);
  } catch (error) {
    if (error instanceof KeysUnavailableError) throw keysUnavailable();
    const none =
      error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;
    throw invalidToken(none ? "unknown_key" : "unusable_key");
  }
}

/** The caller can do nothing about it, and the token may be good. */
function keysUnavailable(): Refusal {
  return new Refusal("AUTHENTICATION_UNAVAILABLE", {
    detail:
      "The gateway cannot fetch the keys of the token's issuer, so it cannot check the token; try again after Retry-After.",
    reason: "keys_unavailable",
    headers: { "retry-after": "5" },
  });
}
