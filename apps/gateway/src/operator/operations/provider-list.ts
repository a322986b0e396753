import { defaultAccount } from "../../configuration/account.ts";
import type { BreakerState, ProviderTraffic } from "../../events.ts";
import type { ProviderHealth } from "../observation/provider-health.ts";
import type { ReadUnknown } from "../observation/unknown-submissions.ts";
import { type ProviderState, type StateReason, stateOf } from "./provider-state.ts";

/** What the list of providers is made of. */
export interface ProviderListParts {
  readonly traffic: () => readonly ProviderTraffic[];
  readonly health: Pick<ProviderHealth, "figures">;
  readonly unknownSubmissions: ReadUnknown;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** One provider, as the operator sees it; figures are those of the last five minutes. */
export interface ListedProvider {
  readonly segment: string;
  readonly provider: string;
  readonly sandbox: boolean;
  readonly state: ProviderState;
  /** What makes it other than up. */
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
export interface ProviderList {
  readonly items: readonly ListedProvider[];
  /** When it was so. */
  readonly at: string;
}

/** So many refused accounts of a provider are named. */
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
