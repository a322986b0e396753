import { isIPv6 } from "node:net";
import { Refusal } from "@insurance-gateway/core/runtime";
import { createFixedWindows } from "./fixed-windows.ts";

/**
 * The reasons for refusing a token, which appear in the operator's log and metrics. The caller's answer is the same for
 * each reason except `flood`, so that an attacker learns nothing about forging a token.
 */
export const tokenFaults = {
  not_bearer: "the Authorization header must be Bearer and one token (RFC 6750, section 2.1)",
  too_long: "the token must not be longer than limits.tokenBytes",
  not_compact: "the token must have three parts in canonical base64url (RFC 7515, section 7.1)",
  not_json:
    "the header and the claims must be JSON objects in UTF-8 with unique names (RFC 7515, section 4; RFC 7519, section 4)",
  unknown_issuer: "the iss must be exactly that of a configured issuer",
  extension:
    "the header must not have crit or b64: the gateway supports no extension (RFC 7515, section 4.1.11)",
  wrong_algorithm: "the alg must be one of the issuer's algorithms",
  wrong_type:
    "the typ must be that of the issuer; the token may be an ID token (RFC 9068, section 4)",
  wrong_audience: "the aud must be the issuer's audience, or an array that contains it",
  bound: "the token must not be bound to a key (cnf, RFC 7800)",
  no_instant: "the exp, and nbf and iat if present, must be numbers of seconds",
  expired: "the exp must be in the future",
  not_yet_valid: "the nbf and iat must not be in the future",
  no_subject: "the token must have a sub, or a client_id",
  unknown_key: "the kid must select exactly one usable key of the issuer",
  unusable_key: "the issuer's key must be a valid public key of sufficient length",
  wrong_signature: "the signature must be that of the issuer's key",
  flood: "the address has sent too many refused tokens, so the token was not read",
} as const;

/** The reason for refusing a token. */
export type TokenFault = keyof typeof tokenFaults;

const REFUSAL_WINDOW_MS = 60_000;

/**
 * Creates the counter of each address's refused tokens.
 * @param refusedTokens - returns the current maximum of refused tokens from one address in a minute
 */
export function countRefusedTokens(refusedTokens: () => number) {
  const windows = createFixedWindows();
  return {
    /**
     * Checks that the address may send another token.
     * @throws Refusal if the address has sent too many refused tokens
     */
    admit(address: string): void {
      const counted = windows.find(senderOf(address));
      if (counted === null || counted.count < refusedTokens()) return;
      throw new Refusal("RATE_LIMITED", {
        detail:
          "Too many tokens from your address were refused; send a valid token after Retry-After.",
        reason: "flood",
        headers: { "retry-after": String(Math.ceil(counted.leftMs / 1_000)) },
      });
    },
    count: (address: string): void => void windows.count(senderOf(address), REFUSAL_WINDOW_MS),
  };
}

/**
 * Returns the sender that counts for an address: an IPv4 address, even if it is written in IPv6 form, or the network of
 * an IPv6 address, because one client may have all 2^64 addresses of the network (RFC 6177).
 */
export function senderOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [before = "", after] = address.split("::");
  const left = before.split(":");
  const right = after === undefined || after === "" ? [] : after.split(":");
  const zeros =
    after === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => "0");
  return `${[...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => Number.parseInt(group || "0", 16).toString(16))
    .join(":")}::/64`;
}
