import { createHmac, randomBytes } from "node:crypto";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import canonicalize from "canonicalize";
import { LRUCache } from "lru-cache";
import type { Caller } from "../../callers/caller.ts";
import type { Time } from "../../time.ts";

/**
 * Counts a search of a caller.
 * @param input - without the page that is asked for
 * @returns whether it is the one with which the caller goes over the limit; true once in an hour
 */
export type CountSearch = (caller: Caller, input: CheckedInput) => boolean;

/** The hour of one caller, which begins with its first search. */
interface CallerHour {
  readonly begunAt: number;
  /** Digests of what was searched for; null once the limit was exceeded, because nothing is counted after that. */
  searches: Set<string> | null;
}

const HOUR_MS = 3_600_000;
/** How many callers are counted at one time; beyond it, the one whose last search is oldest is forgotten. */
const MOST_CALLERS = 1_000;
/** 96 bits: two searches with the same digest do not happen. */
const DIGEST_CHARACTERS = 16;

/**
 * Watches for callers who search for many different customers: an application that is misused, or a stolen token. What
 * differs only in the page is the same search, and so is the same customer at another insurer. Callers and searches are
 * known by digests alone, whose key nobody has: a plain hash of a tax number is found by trying all of them.
 */
export function countWideSearches(
  /** How many are usual, as it is set now. */
  searchesPerHour: () => number,
  time: Pick<Time, "elapsed">,
): CountSearch {
  const key = randomBytes(32);
  const digest = (value: unknown): string =>
    createHmac("sha256", key)
      .update(canonicalize(value) ?? "")
      .digest("base64url")
      .slice(0, DIGEST_CHARACTERS);
  const hours = new LRUCache<string, CallerHour>({ max: MOST_CALLERS });

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
