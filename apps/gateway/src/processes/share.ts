import type { ConfigurationFile, LimitsConfiguration } from "../configuration/file.ts";

/** What one of several processes may, of an amount that all of them together may: rounded up. */
export function partOf(amount: number, processes: number): number {
  return Math.ceil(amount / processes);
}

/**
 * What one of several processes of a gateway may, so that all of them together keep to the configuration: what each counts
 * by itself is divided by their number and rounded up. Quotas and queries of reconciliation are counted in the store for
 * all of them, and are left as they are.
 */
export function shareOf<Whole extends ConfigurationFile>(whole: Whole, processes: number): Whole {
  if (processes === 1) return whole;
  const share = (amount: number): number => partOf(amount, processes);
  return {
    ...whole,
    limits: limitsShare(whole.limits, share),
    observation: { searchesPerHour: share(whole.observation.searchesPerHour) },
    authentication: {
      ...whole.authentication,
      refusedTokens: share(whole.authentication.refusedTokens),
    },
    providers: whole.providers.map((provider) => ({
      ...provider,
      callerLimit: { ...provider.callerLimit, requests: share(provider.callerLimit.requests) },
      bulkhead: {
        ...provider.bulkhead,
        running: share(provider.bulkhead.running),
        queued: share(provider.bulkhead.queued),
      },
    })),
  };
}

function limitsShare(
  limits: LimitsConfiguration,
  share: (amount: number) => number,
): LimitsConfiguration {
  return {
    ...limits,
    answerBytes: share(limits.answerBytes),
    connections: share(limits.connections),
    uploadBytes: share(limits.uploadBytes),
    uploadsPerCaller: share(limits.uploadsPerCaller),
  };
}
