import { defaultAccount } from "../../configuration/account.ts";
import type { BreakerState, ProviderTraffic } from "../../events.ts";
import type { ProviderHealth } from "../observation/provider-health.ts";
import type { ReadUnknown } from "../observation/unknown-submissions.ts";

/** The parts of the list of providers. */
export interface ProviderListParts {
  readonly traffic: () => readonly ProviderTraffic[];
  readonly health: Pick<ProviderHealth, "figures">;
  readonly unknownSubmissions: ReadUnknown;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** One provider, as the operator sees it; figures are those of the last five minutes. */
interface ListedProvider {
  readonly segment: string;
  readonly provider: string;
  readonly sandbox: boolean;
  readonly state: ProviderState;
  /** The reasons for a state other than up. */
  readonly reasons: readonly StateReason[];
  readonly breaker: BreakerState;
  readonly running: number;
  readonly queued: number;
  /** Attempts that were answered or failed, and refused calls. */
  readonly calls: number;
  /** Calls that the gateway refused, because the breaker was open or the bulkhead had no place. */
  readonly refused: number;
  /** The share of calls that failed or were refused, from 0 to 1; null without a call. */
  readonly errorRate: number | null;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** An instant of RFC 3339; null since the start. */
  readonly lastSuccessAt: string | null;
  /** The ids of the accounts whose credentials the insurer refuses now, the first 100 of them. */
  readonly refusedAccounts: readonly string[];
  /** Null while the store is unavailable. */
  readonly unknownSubmissions: number | null;
}

/** Every provider, in the order of the configuration. */
interface ProviderList {
  readonly items: readonly ListedProvider[];
  /** When it was so. */
  readonly at: string;
}

/** Maximum of refused accounts of a provider that are named. */
const MOST_NAMED = 100;

/** Lists the providers as they are now. */
export async function listProviders({
  health,
  now,
  traffic,
  unknownSubmissions,
}: ProviderListParts): Promise<ProviderList> {
  const unknown = await unknownSubmissions();
  const items = traffic().map((one) => {
    const { breaker, provider, queued, refusedAccounts, running, sandbox, segment } = one;
    const { calls, errorRate, lastSuccessAt, p50Ms, p95Ms, refused } = health.figures(segment);
    const areCredentialsRefused = refusedAccounts.includes(defaultAccount);
    return {
      segment,
      provider,
      sandbox,
      ...stateOf({ breaker, queued, calls, errorRate, areCredentialsRefused }),
      breaker,
      running,
      queued,
      calls,
      refused,
      errorRate,
      p50Ms,
      p95Ms,
      lastSuccessAt: lastSuccessAt === null ? null : new Date(lastSuccessAt).toISOString(),
      refusedAccounts: refusedAccounts.slice(0, MOST_NAMED),
      unknownSubmissions: unknown === null ? null : (unknown.get(segment) ?? 0),
    };
  });
  return { items, at: new Date(now()).toISOString() };
}

/** How a provider is, in a word. */
export type ProviderState = "up" | "degraded" | "down";

/** A reason for a state other than up. */
type StateReason = "breaker_open" | "breaker_half_open" | "failures" | "queue" | "credentials";

/** The facts that decide the state. */
interface StateFacts {
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
/** With fewer calls, half have to fail: a smaller share of them proves nothing. */
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
