import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Time } from "../time.ts";
import type { Caller } from "./caller.ts";

/** Tokens that were verified, so that each is verified once. */
export interface VerifiedTokens {
  find(token: string): Caller | null;
  /** @param expiresAt - in seconds since 1970 */
  keep(token: string, caller: Caller, expiresAt: number): void;
}

/** How many are kept, and for how long. */
export interface VerifiedTokensSettings {
  readonly cachedTokens: number;
  readonly cachedSeconds: number;
  readonly time: Time;
}

/** Keeps none. */
const nothingKept: VerifiedTokens = { find: () => null, keep: () => {} };

/** Makes an empty memory of tokens. It holds their hashes: whoever reads the process's memory finds no token to use. */
export function createVerifiedTokens({
  cachedSeconds,
  cachedTokens,
  time,
}: VerifiedTokensSettings): VerifiedTokens {
  if (cachedTokens === 0) return nothingKept;
  const kept = new LRUCache<string, { readonly caller: Caller; readonly until: number }>({
    max: cachedTokens,
  });
  return {
    find(token) {
      const found = kept.get(keyOf(token));
      return found !== undefined && time.now() < found.until ? found.caller : null;
    },
    keep(token, caller, expiresAt) {
      const until = Math.min(time.now() + cachedSeconds * 1_000, expiresAt * 1_000);
      kept.set(keyOf(token), { caller, until });
    },
  };
}

function keyOf(token: string): string {
  return hash("sha256", token, "base64url");
}
