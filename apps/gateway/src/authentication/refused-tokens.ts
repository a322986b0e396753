import { isIPv6 } from "node:net";
import RateLimiterMemory from "rate-limiter-flexible/lib/RateLimiterMemory.js";
import { Refusal } from "../problems/refusal.ts";

/** Counts the refused tokens of each address, so that a flood of them is not worth its while. */
export interface RefusedTokens {
  /** Throws a Refusal when the address has sent too many. */
  admit(address: string): Promise<void>;
  count(address: string): Promise<void>;
}

const WINDOW_SECONDS = 60;

/**
 * Makes one that has counted nothing.
 * @param refusedTokens - how many tokens of an address are refused one by one in a minute, as it is set now
 */
export function countRefusedTokens(refusedTokens: () => number): RefusedTokens {
  const limiter = new RateLimiterMemory({ points: refusedTokens(), duration: WINDOW_SECONDS });
  return {
    async admit(address) {
      limiter.points = refusedTokens();
      const counted = await limiter.get(senderOf(address));
      if (counted === null || counted.remainingPoints > 0 || counted.msBeforeNext <= 0) return;
      throw new Refusal("RATE_LIMITED", {
        detail:
          "Too many tokens from your address were refused; get a valid one and send it after Retry-After.",
        reason: "flood",
        headers: { "retry-after": String(Math.ceil(counted.msBeforeNext / 1_000)) },
      });
    },
    async count(address) {
      await limiter.penalty(senderOf(address));
    },
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
