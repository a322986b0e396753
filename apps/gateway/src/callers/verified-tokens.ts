import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Time } from "../time.ts";
import type { Caller } from "./caller.ts";
import { tokenInHeader } from "./compact-form.ts";
import type { Issuer } from "./issuer.ts";

/** The facts about a verified token that the gateway caches. */
export interface VerifiedToken {
  readonly caller: Caller;
  /** The expiry of the token, in seconds since 1970. */
  readonly expiresAt: number;
  readonly issuer: Issuer;
  /** The id of the issuer's key that verified the token. */
  readonly keyId: string;
  /** The token's length in bytes. */
  readonly bytes: number;
}

/** The limits of the cache, and the issuers whose tokens are valid. */
export interface VerifiedTokensSettings {
  readonly cachedTokens: number;
  readonly cachedSeconds: number;
  readonly issuers: readonly Issuer[];
  /** Maximum size of a token, in bytes. */
  readonly tokenBytes: number;
}

type CachedToken = VerifiedToken & { readonly verifiedAt: number };

/**
 * Creates an empty cache of tokens. The cache contains only digests, so that the process's memory contains no usable
 * token.
 * @param settings - returns the current settings
 */
export function createVerifiedTokens(
  settings: () => VerifiedTokensSettings,
  time: Pick<Time, "now">,
) {
  let stored: LRUCache<string, CachedToken> | null = null;
  const tokens = (): LRUCache<string, CachedToken> | null => {
    const { cachedTokens } = settings();
    if ((stored?.max ?? 0) !== cachedTokens)
      stored = cachedTokens === 0 ? null : new LRUCache({ max: cachedTokens });
    return stored;
  };
  const counts = ({ bytes, expiresAt, issuer, keyId, verifiedAt }: CachedToken): boolean => {
    const { cachedSeconds, issuers, tokenBytes } = settings();
    const until = Math.min(verifiedAt + cachedSeconds * 1_000, expiresAt * 1_000);
    const isAllowed = bytes <= tokenBytes && issuers.includes(issuer) && issuer.hasKey(keyId);
    return isAllowed && time.now() < until;
  };
  return {
    /**
     * Returns the caller of the token in an Authorization header. Returns null if the token is not cached, has expired,
     * or is longer than the current maximum, or if the token's issuer or key is no longer accepted.
     */
    find(authorization: string): Caller | null {
      const shown = tokenInHeader(authorization, settings().tokenBytes);
      if ("fault" in shown) return null;
      const hashed = hashOf(shown.token);
      const found = tokens()?.get(hashed);
      if (found === undefined) return null;
      if (counts(found)) return found.caller;
      tokens()?.delete(hashed);
      return null;
    },
    keep(token: string, verified: VerifiedToken): void {
      tokens()?.set(hashOf(token), { ...verified, verifiedAt: time.now() });
    },
  };
}

function hashOf(token: string): string {
  return hash("sha256", token, "base64url");
}
