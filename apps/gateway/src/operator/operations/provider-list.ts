import { defaultAccount } from "../../configuration/account.ts";
import type { BreakerState, ProviderTraffic } from "../../events.ts";
import type { ProviderHealth } from "../observation/provider-health.ts";
import type { ReadUnknown } from "../observation/unknown-submissions.ts";

/** Arguments of `listProviders`. */
export interface ProviderListParts {
  readonly traffic: () => readonly ProviderTraffic[];
  readonly health: Pick<ProviderHealth, "figures">;
  readonly unknownSubmissions: ReadUnknown;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/** A provider in the operator's list. The figures cover the last five minutes. */
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
  /** Number of attempts that the insurer answered or that failed, plus the calls in `refused`. */
  readonly calls: number;
  /** Number of calls that the gateway refused, because the circuit breaker was open or no slot was free. */
  readonly refused: number;
  /** The failed and refused share of `calls`, from 0 to 1; null without a call. */
  readonly errorRate: number | null;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** The time of the last answered attempt, in RFC 3339 format; null if no attempt was answered since the start. */
  readonly lastSuccessAt: string | null;
  /** The ids of at most 100 accounts whose credentials the insurer refuses now. */
  readonly refusedAccounts: readonly string[];
  /** Number of submissions with an unknown outcome; null while the store is unavailable. */
  readonly unknownSubmissions: number | null;
}

/** The operator's list of all providers, in the order of the configuration. */
interface ProviderList {
  readonly items: readonly ListedProvider[];
  /** The time at which the list was created, in RFC 3339 format. */
  readonly at: string;
}

/** Maximum number of a provider's refused accounts in the list. */
const MAX_NAMED_ACCOUNTS = 100;

/** Lists the providers with their current state. */
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
      refusedAccounts: refusedAccounts.slice(0, MAX_NAMED_ACCOUNTS),
      unknownSubmissions: unknown === null ? null : (unknown.get(segment) ?? 0),
    };
  });
  return { items, at: new Date(now()).toISOString() };
}

/** The state of a provider. */
export type ProviderState = "up" | "degraded" | "down";

/** A reason for a state other than up. */
type StateReason = "breaker_open" | "breaker_half_open" | "failures" | "queue" | "credentials";

/** The facts that determine the state. */
interface StateFacts {
  readonly breaker: BreakerState;
  readonly queued: number;
  /** Number of calls in the last five minutes. */
  readonly calls: number;
  readonly errorRate: number | null;
  /** True if the insurer refuses the provider's own credentials, which every call without an account uses. */
  readonly areCredentialsRefused: boolean;
}

/** Minimum share of failed and refused calls with which a provider is degraded. */
const DEGRADED_ERROR_RATE = 0.05;
/** Minimum number of calls for `DEGRADED_ERROR_RATE`. With fewer calls, `DEGRADED_ERROR_RATE_OF_FEW` applies. */
const MIN_CALLS = 20;
const DEGRADED_ERROR_RATE_OF_FEW = 0.5;

/**
 * Returns the state of a provider, and the reasons:
 * - `down` while its circuit breaker is open: the gateway sends nothing to the insurer;
 * - `degraded` while its circuit breaker is half open, while calls wait for a slot, while the insurer refuses the
 *   provider's own credentials, or if 5 % of at least 20 calls, or half of fewer calls, failed or were refused in the
 *   last five minutes;
 * - `up` otherwise, even without any call.
 */
export function stateOf({ areCredentialsRefused, breaker, calls, errorRate, queued }: StateFacts): {
  readonly state: ProviderState;
  readonly reasons: readonly StateReason[];
} {
  const limit = calls >= MIN_CALLS ? DEGRADED_ERROR_RATE : DEGRADED_ERROR_RATE_OF_FEW;
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
