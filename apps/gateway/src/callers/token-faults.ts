import { isIPv6 } from "node:net";
import { Refusal } from "@insurance-gateway/core/runtime";
import { createFixedWindows } from "./fixed-windows.ts";

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

/** A fault of a token. */
export type TokenFault = keyof typeof tokenFaults;

const WINDOW_MS = 60_000;

/**
 * Creates a count without refused tokens.
 * @param refusedTokens - how many tokens of an address are refused one by one in a minute, as it is set now
 */
export function countRefusedTokens(refusedTokens: () => number) {
  const windows = createFixedWindows();
  return {
    /** @throws Refusal if the address has sent too many */
    admit(address: string): void {
      const counted = windows.find(senderOf(address));
      if (counted === null || counted.count < refusedTokens()) return;
      throw new Refusal("RATE_LIMITED", {
        detail:
          "Too many tokens from your address were refused; get a valid one and send it after Retry-After.",
        reason: "flood",
        headers: { "retry-after": String(Math.ceil(counted.leftMs / 1_000)) },
      });
    },
    count: (address: string): void => void windows.count(senderOf(address), WINDOW_MS),
  };
}

/**
 * Whom an address identifies. A client with one IPv6 address has the 2^64 of its network (RFC 6177), so that is what
 * counts; an address of IPv4 may be written as one of IPv6.
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
