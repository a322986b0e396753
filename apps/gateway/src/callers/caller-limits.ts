import { Refusal } from "@insurance-gateway/core/runtime";
import type { CallerLimitConfiguration } from "../configuration/file.ts";
import type { Caller } from "./caller.ts";
import { createFixedWindows } from "./fixed-windows.ts";

/** The headers that tell a caller the number of remaining requests (draft-ietf-httpapi-ratelimit-headers-11). */
export type LimitHeaders = Readonly<Record<string, string>>;

/**
 * Counts a caller's request, and returns the headers for the answer to this request.
 * @throws Refusal if the caller has exceeded the limit
 */
export type LimitCaller = (caller: Caller) => LimitHeaders;

/**
 * Creates the limit for requests to one provider, or to the gateway's own routes. Each gateway process counts
 * separately.
 * @param settings - returns the current settings; a changed `windowSeconds` applies to the windows that start after the
 * change
 */
export function createCallerLimit(settings: () => CallerLimitConfiguration): LimitCaller {
  const windows = createFixedWindows();
  return ({ issuer, subject, tenant }) => {
    const { requests, windowSeconds } = settings();
    const key = JSON.stringify([issuer, subject, tenant]);
    const { count, leftMs } = windows.count(key, windowSeconds * 1_000);
    const seconds = Math.max(1, Math.ceil(leftMs / 1_000));
    const headers = {
      "ratelimit-policy": `"caller";q=${requests};w=${windowSeconds}`,
      ratelimit: `"caller";r=${Math.max(0, requests - count)};t=${seconds}`,
    };
    if (count <= requests) return headers;
    throw new Refusal("RATE_LIMITED", {
      detail: `Limit: ${requests} requests in ${windowSeconds} seconds; nothing was sent to an insurer.`,
      reason: "caller_limit",
      headers: { ...headers, "retry-after": String(seconds) },
    });
  };
}

/** Joins the headers of two rate limits; each header is a list (RFC 9651). */
export function joinLimitHeaders(one: LimitHeaders, other: LimitHeaders): LimitHeaders {
  const added = Object.entries(other);
  if (added.length === 0) return one;
  const all: Record<string, string> = { ...one };
  for (const [name, value] of added)
    all[name] = one[name] === undefined ? value : `${one[name]}, ${value}`;
  return all;
}
