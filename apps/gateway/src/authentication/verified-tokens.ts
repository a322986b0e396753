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
  readonly issuer: Issuer;
  /** The issuer's key that verified it. */
  readonly keyId: string;
}

/** Tokens that were verified, so that each is verified once. */
export interface VerifiedTokens {
  /**
   * Finds whose token it is, unless it has ended, or its issuer or the issuer's key has been withdrawn or changed.
   * @param connection - that it came on
   */
  find(token: string, connection: object): Caller | null;
  keep(token: string, verified: VerifiedToken): void;
}

/** How many are stored, for how long, and whose tokens count. */
export interface VerifiedTokensSettings {
  readonly cachedTokens: number;
  readonly cachedSeconds: number;
  readonly issuers: readonly Issuer[];
}

type Stored = VerifiedToken & { readonly verifiedAt: number };

/** The token that came last on a connection, and its hash. */
interface LastToken {
  readonly token: string;
  readonly hashed: string;
}

/**
 * Makes an empty memory of tokens. It holds their hashes, so that the process's memory has no token that could be used,
 * except the last one of each open connection: most callers send the same one again, which is not hashed again.
 * @param settings - those that count now
 */
export function createVerifiedTokens(
  settings: () => VerifiedTokensSettings,
  time: Pick<Time, "now">,
): VerifiedTokens {
  let stored: LRUCache<string, Stored> | null = null;
  const last = new WeakMap<object, LastToken>();
  const hashedOn = (connection: object, token: string): string => {
    const known = last.get(connection);
    if (known?.token === token) return known.hashed;
    const hashed = hashOf(token);
    last.set(connection, { token, hashed });
    return hashed;
  };
  const tokens = (): LRUCache<string, Stored> | null => {
    const { cachedTokens } = settings();
    if ((stored?.max ?? 0) !== cachedTokens)
      stored = cachedTokens === 0 ? null : new LRUCache({ max: cachedTokens });
    return stored;
  };
  const counts = ({ expiresAt, issuer, keyId, verifiedAt }: Stored): boolean => {
    const { cachedSeconds, issuers } = settings();
    const until = Math.min(verifiedAt + cachedSeconds * 1_000, expiresAt * 1_000);
    return time.now() < until && issuers.includes(issuer) && issuer.hasKey(keyId);
  };
  return {
    find(token, connection) {
      const hashed = hashedOn(connection, token);
      const found = tokens()?.get(hashed);
      if (found === undefined) return null;
      if (counts(found)) return found.caller;
      tokens()?.delete(hashed);
      return null;
    },
    keep(token, verified) {
      tokens()?.set(hashOf(token), { ...verified, verifiedAt: time.now() });
    },
  };
}

function hashOf(token: string): string {
  return hash("sha256", token, "base64url");
}
