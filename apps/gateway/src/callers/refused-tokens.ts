import { isIPv6 } from "node:net";
import { Refusal } from "../problems/refusal.ts";
import { createFixedWindows } from "./fixed-windows.ts";

/** Counts the refused tokens of each address. */
export interface RefusedTokens {
  /** @throws Refusal if the address has sent too many */
  admit(address: string): void;
  count(address: string): void;
}

const WINDOW_MS = 60_000;

/**
 * Creates a count without refused tokens.
 * @param refusedTokens - how many tokens of an address are refused one by one in a minute, as it is set now
 */
export function countRefusedTokens(refusedTokens: () => number): RefusedTokens {
  const windows = createFixedWindows();
  return {
    admit(address) {
      const counted = windows.find(senderOf(address));
      if (counted === null || counted.count < refusedTokens()) return;
      throw new Refusal("RATE_LIMITED", {
        detail:
          "Too many tokens from your address were refused; get a valid one and send it after Retry-After.",
        reason: "flood",
        headers: { "retry-after": String(Math.ceil(counted.leftMs / 1_000)) },
      });
    },
    count: (address) => void windows.count(senderOf(address), WINDOW_MS),
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
