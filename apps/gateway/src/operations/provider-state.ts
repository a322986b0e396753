import type { BreakerState } from "../observation/observation.ts";

/** How a provider is, in a word. */
export type ProviderState = "up" | "degraded" | "down";

/** What makes it other than up. */
export type StateReason = "breaker_open" | "breaker_half_open" | "failures" | "queue";

/** What decides it. */
export interface StateFacts {
  readonly breaker: BreakerState;
  readonly queued: number;
  /** In the last five minutes. */
  readonly calls: number;
  readonly errorRate: number | null;
}

/** From this share of failures on, callers notice. */
const DEGRADED_ERROR_RATE = 0.05;
/** Fewer calls prove no rate. */
const LEAST_CALLS = 20;

/**
 * Says how a provider is, and why:
 * - `down` while its breaker is open: nothing is sent to the insurer;
 * - `degraded` while a single call tries whether it works again, while calls wait for a place, or when of at least
 *   20 calls in the last five minutes 5 % or more have failed;
 * - `up` otherwise, also when nobody has called.
 */
export function stateOf({ breaker, calls, errorRate, queued }: StateFacts): {
  readonly state: ProviderState;
  readonly reasons: readonly StateReason[];
} {
  const signs: readonly (readonly [StateReason, boolean])[] = [
    ["breaker_open", breaker === "open"],
    ["breaker_half_open", breaker === "half_open"],
    ["failures", calls >= LEAST_CALLS && (errorRate ?? 0) >= DEGRADED_ERROR_RATE],
    ["queue", queued > 0],
  ];
  const reasons = signs.flatMap(([reason, holds]) => (holds ? [reason] : []));
  if (breaker === "open") return { state: "down", reasons };
  return { state: reasons.length > 0 ? "degraded" : "up", reasons };
}
