import type { Endpoint } from "@insurance-gateway/core/contract";
import { parameterForms } from "@insurance-gateway/core/runtime";
import type { AnswersConfiguration } from "../../configuration/file.ts";

/** Accounts that may receive a cached lookup answer: all, only the account that sent the lookup, or none. */
export type CacheSharing = "all" | "account" | "none";

/**
 * Returns how long a lookup's answer is fresh, in milliseconds: the shorter of the declared time and the operator's. If
 * this time is not 0, the answer is cached, and therefore its request uses a new connection.
 */
export function freshMsOf(
  { freshFor = 0 }: Pick<Endpoint, "freshFor">,
  { freshMinutes }: Pick<AnswersConfiguration, "freshMinutes">,
): number {
  return Math.min(freshFor * 1_000, (freshMinutes ?? Number.POSITIVE_INFINITY) * 60_000);
}

/** Request headers that are the same for all accounts: the gateway sends one value for all, or omits the header. */
const HEADERS_OF_ALL_ACCOUNTS = [
  "accept",
  "accept-charset",
  "accept-encoding",
  "accept-language",
  "origin",
  "user-agent",
];

/**
 * Returns the accounts that may receive a cached answer by the insurer's headers (RFC 9111, sections 3.5 and 5.2.2; RFC
 * 9110, section 12.5.5). A declared `freshFor` wins over `no-store`, which some frameworks send with every answer.
 */
export function sharingOf(
  { freshFor, headers: declared }: Pick<Endpoint, "freshFor" | "headers">,
  headers: Readonly<Record<string, string>>,
): CacheSharing {
  const { "cache-control": control = "", vary = "" } = headers;
  if (freshFor === undefined && /\bno-store\b/i.test(control)) return "none";
  const asked = declared === undefined ? [] : Object.keys(parameterForms(declared));
  const chosenBy = vary.split(",").map((name) => name.trim().toLowerCase());
  const isForAll = chosenBy.every(
    (name) => name === "" || HEADERS_OF_ALL_ACCOUNTS.includes(name) || asked.includes(name),
  );
  return isForAll && !/\bprivate\b/i.test(control) ? "all" : "account";
}

/** Share of the previous answer's size; a list that is smaller than this share may be incomplete. */
const INCOMPLETE_BELOW_SHARE = 0.5;

/** Time for which a possibly incomplete answer is cached, in milliseconds. */
const INCOMPLETE_CACHED_MS = 60_000;

/**
 * Returns the maximum time for which an answer may be cached, in milliseconds. A list that is empty or has less than
 * half of its previous size may come from an insurer in trouble, so the gateway soon queries the insurer again.
 * @param bytesBefore - the size of the previous answer; 0 without one
 */
export function maxCachedMs(content: string, bytes: number, bytesBefore: number): number {
  return bytes < bytesBefore * INCOMPLETE_BELOW_SHARE || hasOnlyEmptyLists(content)
    ? INCOMPLETE_CACHED_MS
    : Number.POSITIVE_INFINITY;
}

/** Reports whether a JSON text has at least one list, and all its lists are empty. */
function hasOnlyEmptyLists(text: string): boolean {
  return !/\[\s*[^\s\]]/.test(text) && /\[\s*\]/.test(text);
}
