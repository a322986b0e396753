import type { Caller } from "../authentication/caller.ts";
import type { CallerLimitConfiguration } from "../configuration/file.ts";
import { Refusal } from "../problems/refusal.ts";

/** The headers that report the rest of the limit to a caller (draft-ietf-httpapi-ratelimit-headers-11). */
export type LimitHeaders = Readonly<Record<string, string>>;

/** Counts a request of a caller and gives the headers for its answer; throws a Refusal when it is one too many. */
export type LimitCaller = (caller: Caller) => LimitHeaders;

/** The requests of one caller, from the first one on. */
interface Window {
  used: number;
  readonly endsAt: number;
}

/**
 * Makes the limit of one provider, or of the gateway's own routes. It counts what this process sees, within its part of
 * the limit; several replicas allow as many times more. Every request passes here: a limiter that answers with a promise,
 * as libraries do, costs more than its counting.
 * @param settings - those that count now; a caller's window that has begun keeps its length when they change
 */
export function createCallerLimit(settings: () => CallerLimitConfiguration): LimitCaller {
  const windows = new Map<string, Window>();

  function windowOf({ issuer, subject, tenant }: Caller, seconds: number): Window {
    const key = JSON.stringify([issuer, subject, tenant]);
    const known = windows.get(key);
    if (known !== undefined && known.endsAt > Date.now()) return known;
    const begun = { used: 0, endsAt: Date.now() + seconds * 1_000 };
    windows.set(key, begun);
    // Callers that do not come back must not fill the memory.
    setTimeout(() => {
      if (windows.get(key) === begun) windows.delete(key);
    }, seconds * 1_000).unref();
    return begun;
  }

  return (caller) => {
    const { requests, windowSeconds } = settings();
    const window = windowOf(caller, windowSeconds);
    window.used += 1;
    const left = Math.max(0, requests - window.used);
    const seconds = Math.max(1, Math.ceil((window.endsAt - Date.now()) / 1_000));
    const headers = {
      "ratelimit-policy": `"caller";q=${requests};w=${windowSeconds}`,
      ratelimit: `"caller";r=${left};t=${seconds}`,
    };
    if (window.used <= requests) return headers;
    throw new Refusal("RATE_LIMITED", {
      detail: `You may send ${requests} requests here in ${windowSeconds} seconds; nothing was sent to an insurer.`,
      reason: "caller_limit",
      headers: { ...headers, "retry-after": String(seconds) },
    });
  };
}
