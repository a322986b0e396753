import { createHmac, randomBytes } from "node:crypto";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import canonicalize from "canonicalize";
import { LRUCache } from "lru-cache";
import type { Caller } from "../../callers/caller.ts";
import type { Time } from "../../time.ts";

/**
 * Counts a search of a caller.
 * @param input - the search without its page parameters
 * @returns true for the search with which the caller exceeds the limit, at most once an hour
 */
export type CountSearch = (caller: Caller, input: CheckedInput) => boolean;

/** The different searches of one caller in an hour, which starts with the caller's first search. */
interface CallerHour {
  readonly begunAt: number;
  /** Digests of the searches; null after the caller has exceeded the limit in this hour. */
  searches: Set<string> | null;
}

const HOUR_MS = 3_600_000;
/**
 * Maximum number of callers in memory. A further caller replaces the caller whose last search is the oldest.
 */
const MAX_CALLERS = 1_000;
/** Length of a digest in base64 characters. It has 96 bits, so two searches practically never share a digest. */
const DIGEST_CHARACTERS = 16;

/**
 * Detects callers who search for many different customers, perhaps with a stolen token. Searches that differ only in
 * the page or the insurer count once. The memory contains only keyed digests of callers and searches, because anybody
 * could find the tax number in a plain digest by trying all tax numbers.
 */
export function countWideSearches(
  /** Returns the current maximum number of one caller's different searches in an hour. */
  searchesPerHour: () => number,
  time: Pick<Time, "elapsed">,
): CountSearch {
  const key = randomBytes(32);
  const digest = (value: unknown): string =>
    createHmac("sha256", key)
      .update(canonicalize(value) ?? "")
      .digest("base64url")
      .slice(0, DIGEST_CHARACTERS);
  const hours = new LRUCache<string, CallerHour>({ max: MAX_CALLERS });

  const hourOf = (caller: string): CallerHour => {
    const known = hours.get(caller);
    if (known !== undefined && time.elapsed() - known.begunAt < HOUR_MS) return known;
    const begun: CallerHour = { begunAt: time.elapsed(), searches: new Set() };
    hours.set(caller, begun);
    return begun;
  };
  return ({ issuer, subject, tenant }, { body = null, params, query }) => {
    const hour = hourOf(digest(["caller", issuer, subject, tenant]));
    if (hour.searches === null) return false;
    hour.searches.add(digest(["search", params, query, body]));
    if (hour.searches.size <= searchesPerHour()) return false;
    hour.searches = null;
    return true;
  };
}
