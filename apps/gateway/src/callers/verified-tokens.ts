import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Time } from "../time.ts";
import type { Caller } from "./caller.ts";
import { shownToken } from "./compact-form.ts";
import type { Issuer } from "./issuer.ts";

/** The remembered facts of a verified token. */
export interface VerifiedToken {
  readonly caller: Caller;
  /** In seconds since 1970. */
  readonly expiresAt: number;
  readonly issuer: Issuer;
  /** The issuer's key that verified it. */
  readonly keyId: string;
  /** Its length. */
  readonly bytes: number;
}

/** How many are stored, for how long, and whose tokens count. */
export interface VerifiedTokensSettings {
  readonly cachedTokens: number;
  readonly cachedSeconds: number;
  readonly issuers: readonly Issuer[];
  /** How many bytes a token may have. */
  readonly tokenBytes: number;
}

type Stored = VerifiedToken & { readonly verifiedAt: number };

/**
 * Creates an empty memory of tokens. It holds their digests, so that the process's memory has no token that could be used.
 * @param settings - those that count now
 */
export function createVerifiedTokens(
  settings: () => VerifiedTokensSettings,
  time: Pick<Time, "now">,
) {
  let stored: LRUCache<string, Stored> | null = null;
  const tokens = (): LRUCache<string, Stored> | null => {
    const { cachedTokens } = settings();
    if ((stored?.max ?? 0) !== cachedTokens)
      stored = cachedTokens === 0 ? null : new LRUCache({ max: cachedTokens });
    return stored;
  };
  const counts = ({ bytes, expiresAt, issuer, keyId, verifiedAt }: Stored): boolean => {
    const { cachedSeconds, issuers, tokenBytes } = settings();
    const until = Math.min(verifiedAt + cachedSeconds * 1_000, expiresAt * 1_000);
    const isAllowed = bytes <= tokenBytes && issuers.includes(issuer) && issuer.hasKey(keyId);
    return isAllowed && time.now() < until;
  };
  return {
    /**
     * Finds whose token is in an Authorization header, unless it has ended, is too long by now, or its issuer or the issuer's
     * key has been withdrawn or changed.
     */
    find(authorization: string): Caller | null {
      const shown = shownToken(authorization, settings().tokenBytes);
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
