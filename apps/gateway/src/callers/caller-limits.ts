import { Refusal } from "@insurance-gateway/core/runtime";
import type { CallerLimitConfiguration } from "../configuration/file.ts";
import type { Caller } from "./caller.ts";
import { createFixedWindows } from "./fixed-windows.ts";

/** The headers that report the rest of the limit to a caller (draft-ietf-httpapi-ratelimit-headers-11). */
export type LimitHeaders = Readonly<Record<string, string>>;

/**
 * Counts a request of a caller, and returns the headers for its answer.
 * @throws Refusal if it is one too many
 */
export type LimitCaller = (caller: Caller) => LimitHeaders;

/**
 * Creates the limit of one provider, or of the gateway's own routes. Each replica counts separately.
 * @param settings - those that apply now; a caller's window that has begun keeps its length when they change
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
      detail: `You may send ${requests} requests here in ${windowSeconds} seconds; nothing was sent to an insurer.`,
      reason: "caller_limit",
      headers: { ...headers, "retry-after": String(seconds) },
    });
  };
}
