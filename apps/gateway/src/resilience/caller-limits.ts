import RateLimiterMemory from "rate-limiter-flexible/lib/RateLimiterMemory.js";
import RateLimiterRes from "rate-limiter-flexible/lib/RateLimiterRes.js";
import type { Caller } from "../authentication/caller.ts";
import type { CallerLimitConfiguration } from "../configuration/file.ts";
import { Refusal } from "../problems/refusal.ts";

/** The headers that report the rest of the limit to a caller (draft-ietf-httpapi-ratelimit-headers-11). */
export type LimitHeaders = Readonly<Record<string, string>>;

/** Counts a request of a caller and gives the headers for its answer; throws a Refusal when it is one too many. */
export type LimitCaller = (caller: Caller) => Promise<LimitHeaders>;

/**
 * Makes the limit of one provider, or of the gateway's own routes. It counts what this process sees, within its part of
 * the limit; several replicas allow as many times more.
 * @param settings - those that count now; a caller's window that has begun keeps its length when they change
 */
export function createCallerLimit(settings: () => CallerLimitConfiguration): LimitCaller {
  const { requests: points, windowSeconds: duration } = settings();
  const limiter = new RateLimiterMemory({ points, duration });
  const keys = new WeakMap<Caller, string>();
  /** A token's caller is the same object for each of its requests. */
  const keyOf = (caller: Caller): string => {
    const { issuer, subject, tenant } = caller;
    const key = keys.get(caller) ?? JSON.stringify([issuer, subject, tenant]);
    keys.set(caller, key);
    return key;
  };
  return (caller) => {
    const { requests, windowSeconds } = settings();
    limiter.points = requests;
    limiter.duration = windowSeconds;
    const headersOf = ({ msBeforeNext, remainingPoints }: RateLimiterRes): LimitHeaders => ({
      "ratelimit-policy": `"caller";q=${requests};w=${windowSeconds}`,
      ratelimit: `"caller";r=${remainingPoints};t=${secondsOf(msBeforeNext)}`,
    });
    const refuse = (refused: unknown): never => {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw new Refusal("RATE_LIMITED", {
        detail: `You may send ${requests} requests here in ${windowSeconds} seconds; nothing was sent to an insurer.`,
        reason: "caller_limit",
        headers: { ...headersOf(refused), "retry-after": String(secondsOf(refused.msBeforeNext)) },
      });
    };
    return limiter.consume(keyOf(caller)).then(headersOf, refuse);
  };
}

function secondsOf(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1_000));
}
