import { LRUCache } from "lru-cache";
import { maxCachedMs } from "../answers/lookup-sharing.ts";
import type { UpstreamAnswer } from "../answers/upstream-answer.ts";

/** The place of a lookup's answer in the cache: the key, and the account that sent the lookup. */
export interface LookupPlace {
  readonly key: string;
  readonly account: string;
}

/** A cached answer with its age in milliseconds. */
export interface FoundResponse {
  readonly answer: UpstreamAnswer;
  readonly ageMs: number;
}

/** A cached answer that is still fresh. */
export interface FreshResponse extends FoundResponse {
  /** The whole time for which the answer is fresh, in milliseconds. */
  readonly withinMs: number;
  /** True if a background refresh may begin; false for a while after a failed refresh. */
  readonly mayRefresh: boolean;
}

/** The facts that decide how an answer is cached. */
export interface CachingFacts {
  /** Value of `epoch()` before the call to the insurer. */
  readonly epoch: number;
  /** Time for which the answer is fresh, in milliseconds. */
  readonly freshMs: number;
  /** True if all accounts may receive the answer. */
  readonly isShared: boolean;
}

/** The cached answers to the lookups of one insurer; each is for all accounts or for one account. */
export type LookupResponses = ReturnType<typeof createLookupResponses>;

/** Maximum bytes of all cached answers of one insurer together. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;

/** Estimated bytes that a cached answer needs in addition to its text. */
const BYTES_BESIDES_TEXT = 2_048;

/** Time after a failed background refresh in which no other refresh of the answer begins, in milliseconds. */
const REFRESH_DELAY_MS = 30_000;

/** Maximum number of remembered lookups that the insurer has refused to an account. */
const MAX_REFUSALS = 1_000;

/** Marker under a cache key whose answers are cached for each account separately. */
const SEPARATE_ANSWERS = "own";

interface CachedResponse {
  readonly answer: UpstreamAnswer;
  readonly at: number;
  /** Size of the answer's content in bytes. */
  readonly bytes: number;
  /** Maximum time for which the answer is used, in milliseconds, regardless of declaration and configuration. */
  readonly mostMs: number;
  /** True if the answer came on a new connection and therefore certainly belongs to its request. */
  readonly mayBeFresh: boolean;
  /** The account that may receive the answer; null for all accounts. */
  readonly owner: string | null;
  refreshFrom: number;
}

/**
 * Creates an empty cache of lookup answers.
 * @param staleHours - returns the configured maximum age of a stale answer; with 0, only fresh answers are returned
 */
export function createLookupResponses(staleHours: () => number, now: () => number) {
  const kept = new LRUCache<string, CachedResponse | typeof SEPARATE_ANSWERS>({
    maxSize: MAX_CACHED_BYTES,
  });
  const refused = new LRUCache<string, string>({ max: MAX_REFUSALS });
  const longestMs = (): number => staleHours() * 3_600_000;
  let current = 0;

  function responseAt({ account, key }: LookupPlace): CachedResponse | undefined {
    const found = kept.get(key);
    if (found !== SEPARATE_ANSWERS) return found;
    const own = kept.get(accountKey(key, account));
    return own === SEPARATE_ANSWERS ? undefined : own;
  }

  function put(key: string, response: CachedResponse | typeof SEPARATE_ANSWERS): void {
    kept.set(key, response, { size: sizeOf(key, response) });
  }

  return {
    /** Returns a counter that grows with each drop: an answer whose call began before a drop is not cached. */
    epoch: (): number => current,
    /** Reports whether the answers under a key are cached for each account separately. */
    isOwn: (key: string): boolean => kept.peek(key) === SEPARATE_ANSWERS,
    /** Caches an answer. Returns the maximum time for which it may be used, in milliseconds. */
    keep(
      place: LookupPlace,
      answer: UpstreamAnswer,
      { epoch, freshMs, isShared }: CachingFacts,
    ): number {
      const { account, key } = place;
      const content = String(answer.content);
      const bytes = answer.bytes?.length ?? answer.contentLength ?? Buffer.byteLength(content);
      const mostMs = maxCachedMs(content, bytes, responseAt(place)?.bytes ?? 0);
      if (epoch !== current || (longestMs() === 0 && freshMs === 0)) return mostMs;
      refused.delete(accountKey(key, account));
      const owner = isShared ? null : account;
      const response = {
        answer: withCopiedBytes(answer),
        at: now(),
        bytes,
        mostMs,
        mayBeFresh: freshMs > 0,
        owner,
        refreshFrom: 0,
      };
      if (!isShared) put(key, SEPARATE_ANSWERS);
      put(isShared ? key : accountKey(key, account), response);
      return mostMs;
    },
    /** Returns an answer for use while the insurer fails; null if there is none, or if it is too old. */
    find(place: LookupPlace): FoundResponse | null {
      const found = responseAt(place);
      if (found === undefined || refused.has(accountKey(place.key, place.account))) return null;
      const { answer, at, mostMs } = found;
      const ageMs = now() - at;
      return longestMs() > 0 && ageMs <= Math.min(longestMs(), mostMs) ? { answer, ageMs } : null;
    },
    /** Returns an answer that is younger than `declaredMs`; null if there is none. */
    findFresh(place: LookupPlace, declaredMs: number): FreshResponse | null {
      const found = responseAt(place);
      if (found?.mayBeFresh !== true) return null;
      const { answer, at, mostMs, refreshFrom } = found;
      const ageMs = now() - at;
      const withinMs = Math.min(declaredMs, mostMs);
      const mayRefresh = now() >= refreshFrom;
      return ageMs < withinMs ? { answer, ageMs, mayRefresh, withinMs } : null;
    },
    /** Prevents background refreshes of an answer for `REFRESH_DELAY_MS`. */
    delayRefresh(place: LookupPlace): void {
      const found = responseAt(place);
      if (found !== undefined) found.refreshFrom = now() + REFRESH_DELAY_MS;
    },
    /** Drops one answer. */
    forget: ({ account, key }: LookupPlace): void =>
      void kept.delete(kept.peek(key) === SEPARATE_ANSWERS ? accountKey(key, account) : key),
    /** Records that the insurer refuses an account, so that `find` returns no earlier answer to this account. */
    refuse({ account, key }: LookupPlace): void {
      kept.delete(accountKey(key, account));
      refused.set(accountKey(key, account), account);
    },
    /** Drops all answers; returns their number. */
    drop(): number {
      const answers = [...kept.values()].filter((response) => response !== SEPARATE_ANSWERS);
      kept.clear();
      current += 1;
      return answers.length;
    },
    /** Drops the separate answers of the accounts that have changed. */
    dropOf(hasChanged: (account: string) => boolean): void {
      for (const [key, response] of kept.entries())
        if (response !== SEPARATE_ANSWERS && response.owner !== null && hasChanged(response.owner))
          kept.delete(key);
      for (const [key, account] of refused.entries()) if (hasChanged(account)) refused.delete(key);
      current += 1;
    },
  };
}

/** Returns the key under which one account's separate answer is cached. */
export function accountKey(key: string, account: string): string {
  return `${key} ${JSON.stringify(account)}`;
}

/** Copies an answer's original bytes, because they may be part of a larger buffer of the transport. */
function withCopiedBytes(answer: UpstreamAnswer): UpstreamAnswer {
  return answer.bytes === undefined ? answer : { ...answer, bytes: Buffer.from(answer.bytes) };
}

function sizeOf(key: string, response: CachedResponse | typeof SEPARATE_ANSWERS): number {
  if (response === SEPARATE_ANSWERS) return BYTES_BESIDES_TEXT + 2 * key.length;
  const { bytes, compressed, content } = response.answer;
  const characters = key.length + String(content).length;
  return BYTES_BESIDES_TEXT + 2 * characters + (bytes?.length ?? 0) + (compressed?.length ?? 0);
}
