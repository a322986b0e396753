import type { BreakerState } from "../../events.ts";

/** How a provider is, in a word. */
export type ProviderState = "up" | "degraded" | "down";

/** What makes it other than up. */
export type StateReason =
  | "breaker_open"
  | "breaker_half_open"
  | "failures"
  | "queue"
  | "credentials";

/** What decides it. */
export interface StateFacts {
  readonly breaker: BreakerState;
  readonly queued: number;
  /** In the last five minutes. */
  readonly calls: number;
  readonly errorRate: number | null;
  /** Whether the insurer refuses the credentials of the provider itself, which every call uses that has no others. */
  readonly areCredentialsRefused: boolean;
}

/** From this share of failures on, callers notice. */
const DEGRADED_ERROR_RATE = 0.05;
/** Of fewer calls, half have to fail: a smaller share of them proves nothing. */
const LEAST_CALLS = 20;
const DEGRADED_ERROR_RATE_OF_FEW = 0.5;

/**
 * Says how a provider is, and why:
 * - `down` while its breaker is open: nothing is sent to the insurer;
 * - `degraded` while a single call tries whether it works again, while calls wait for a place, while the insurer refuses
 *   the provider's own credentials, or when of at least 20 calls in the last five minutes 5 % or more have failed or were
 *   refused, or half of fewer calls;
 * - `up` otherwise, also without any call.
 */
export function stateOf({ areCredentialsRefused, breaker, calls, errorRate, queued }: StateFacts): {
  readonly state: ProviderState;
  readonly reasons: readonly StateReason[];
} {
  const limit = calls >= LEAST_CALLS ? DEGRADED_ERROR_RATE : DEGRADED_ERROR_RATE_OF_FEW;
  const signs: readonly (readonly [StateReason, boolean])[] = [
    ["breaker_open", breaker === "open"],
    ["breaker_half_open", breaker === "half_open"],
    ["failures", (errorRate ?? 0) >= limit],
    ["queue", queued > 0],
    ["credentials", areCredentialsRefused],
  ];
  const reasons = signs.flatMap(([reason, applies]) => (applies ? [reason] : []));
  if (breaker === "open") return { state: "down", reasons };
  return { state: reasons.length > 0 ? "degraded" : "up", reasons };
}
