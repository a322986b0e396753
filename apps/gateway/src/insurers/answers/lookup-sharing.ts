import type { Endpoint } from "@insurance-gateway/core/contract";
import { parameterForms } from "@insurance-gateway/core/runtime";
import type { AnswersConfiguration } from "../../configuration/file.ts";

/** The accounts for which a lookup's answer may be cached: all, the account that sent the lookup, or none. */
export type Sharing = "all" | "account" | "none";

/**
 * Returns how long a lookup's answer is fresh, in milliseconds: the declared time or the operator's, whichever is
 * shorter. A fresh answer is cached, so that its request uses a new connection.
 */
export function freshMsOf(
  { freshFor = 0 }: Pick<Endpoint, "freshFor">,
  { freshMinutes }: Pick<AnswersConfiguration, "freshMinutes">,
): number {
  return Math.min(freshFor * 1_000, (freshMinutes ?? Number.POSITIVE_INFINITY) * 60_000);
}

/** Request headers that do not depend on the account: the gateway sends the same values for all accounts, or none. */
const NEGOTIATED = [
  "accept",
  "accept-charset",
  "accept-encoding",
  "accept-language",
  "origin",
  "user-agent",
];

/**
 * Returns the accounts for which the insurer's headers allow to cache an answer (RFC 9111, section 3.5 and section
 * 5.2.2; RFC 9110, section 12.5.5). A declared `freshFor` wins over `no-store`, which some frameworks send with every
 * answer.
 */
export function sharingOf(
  { freshFor, headers: declared }: Pick<Endpoint, "freshFor" | "headers">,
  headers: Readonly<Record<string, string>>,
): Sharing {
  const { "cache-control": control = "", vary = "" } = headers;
  if (freshFor === undefined && /\bno-store\b/i.test(control)) return "none";
  const asked = declared === undefined ? [] : Object.keys(parameterForms(declared));
  const chosenBy = vary.split(",").map((name) => name.trim().toLowerCase());
  const isForAll = chosenBy.every(
    (name) => name === "" || NEGOTIATED.includes(name) || asked.includes(name),
  );
  return isForAll && !/\bprivate\b/i.test(control) ? "all" : "account";
}

/** Share of the previous answer's bytes; a smaller answer may be incomplete. */
const DOUBTFUL_SHARE = 0.5;

/** How long a doubtful answer is cached, in milliseconds. */
const DOUBTFUL_MS = 60_000;

/**
 * Returns the maximum time to cache an answer, in milliseconds. A list that is empty or has less than half of its
 * previous size may come from an insurer in trouble, so that the gateway soon queries it again.
 * @param bytesBefore - the size of the previous answer; 0 without one
 */
export function longestKeptMs(content: string, bytes: number, bytesBefore: number): number {
  return bytes < bytesBefore * DOUBTFUL_SHARE || isEmptyList(content)
    ? DOUBTFUL_MS
    : Number.POSITIVE_INFINITY;
}

/** Reports whether a JSON text has only empty lists, and at least one. */
function isEmptyList(text: string): boolean {
  return !/\[\s*[^\s\]]/.test(text) && /\[\s*\]/.test(text);
}
