import type { Endpoint } from "@insurance-gateway/core/contract";
import { parameterForms } from "@insurance-gateway/core/runtime";
import type { AnswersConfiguration } from "../../configuration/file.ts";

/** Who a lookup's answer may be kept for: all accounts, the account that asked, or nobody. */
export type Sharing = "all" | "account" | "none";

/**
 * Returns how long a lookup's answer is fresh, in milliseconds: as long as the lookup declares, or as the operator allows
 * where that is shorter. An answer that is fresh is kept, so its request has a connection of its own.
 */
export function freshMsOf(
  { freshFor = 0 }: Pick<Endpoint, "freshFor">,
  { freshMinutes }: Pick<AnswersConfiguration, "freshMinutes">,
): number {
  return Math.min(freshFor * 1_000, (freshMinutes ?? Number.POSITIVE_INFINITY) * 60_000);
}

/** Request headers that do not depend on the account: the gateway sends the same ones for all of them, or none. */
const NEGOTIATED = [
  "accept",
  "accept-charset",
  "accept-encoding",
  "accept-language",
  "origin",
  "user-agent",
];

/**
 * Reads from an insurer's headers who its answer may be kept for (RFC 9111, section 3.5 and section 5.2.2; RFC 9110, section
 * 12.5.5). A declared `freshFor` wins over `no-store`, which some frameworks send with every answer.
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

/** An answer of less than half the bytes of the one before may be incomplete. */
const DOUBTFUL_SHARE = 0.5;

/** How long a doubtful answer is kept, in milliseconds. */
const DOUBTFUL_MS = 60_000;

/**
 * Returns how long an answer may be kept at most, in milliseconds: a list that is empty or has shrunk to less than half may
 * come from an insurer in trouble, and is asked for again soon.
 * @param bytesBefore - the size of the answer before; 0 without one
 */
export function longestKeptMs(content: string, bytes: number, bytesBefore: number): number {
  return bytes < bytesBefore * DOUBTFUL_SHARE || isEmptyList(content)
    ? DOUBTFUL_MS
    : Number.POSITIVE_INFINITY;
}

/** Reports whether a JSON text has lists, and only empty ones. */
function isEmptyList(text: string): boolean {
  return !/\[\s*[^\s\]]/.test(text) && /\[\s*\]/.test(text);
}
