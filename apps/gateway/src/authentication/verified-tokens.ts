import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Time } from "../time.ts";
import type { Caller } from "./caller.ts";
import type { Issuer } from "./issuer.ts";

/** What is known of a token that was verified. */
export interface VerifiedToken {
  readonly caller: Caller;
  /** In seconds since 1970. */
  readonly expiresAt: number;
  readonly issuer: Pick<Issuer, "hasKey">;
  /** The issuer's key that verified it. */
  readonly keyId: string;
}

/** Tokens that were verified, so that each is verified once. */
export interface VerifiedTokens {
  /** Finds whose token it is, unless it has ended or its issuer has withdrawn its key. */
  find(token: string): Caller | null;
  keep(token: string, verified: VerifiedToken): void;
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
  const kept = new LRUCache<string, VerifiedToken & { readonly until: number }>({
    max: cachedTokens,
  });
  return {
    find(token) {
      const hashed = hashOf(token);
      const found = kept.get(hashed);
      if (found === undefined) return null;
      if (time.now() < found.until && found.issuer.hasKey(found.keyId)) return found.caller;
      kept.delete(hashed);
      return null;
    },
    keep(token, verified) {
      const until = Math.min(time.now() + cachedSeconds * 1_000, verified.expiresAt * 1_000);
      kept.set(hashOf(token), { ...verified, until });
    },
  };
}

function hashOf(token: string): string {
  return hash("sha256", token, "base64url");
}
