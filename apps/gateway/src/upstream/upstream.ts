import type { Endpoint } from "@insurance-gateway/core/contract";
import type { InstalledProvider } from "../configuration/providers.ts";
import type { Observation, ObservedEndpoint, ProviderTraffic } from "../observation/observation.ts";
import { createBreaker, neverOpens } from "../resilience/breaker.ts";
import { createBulkhead } from "../resilience/bulkhead.ts";
import { createRetries } from "../resilience/retries.ts";
import { createStaleAnswers } from "../resilience/stale-answers.ts";
import type { UpstreamAnswer } from "./answer.ts";
import { connectInsurer, type InsurerConnection, type UpstreamCall } from "./attempt.ts";
import { stoppingSubmissions } from "./credentials.ts";
import { createGuardedAttempt } from "./guarded-attempt.ts";
import { createRepeatedCall } from "./repeated-call.ts";
import { servingStale } from "./stale-lookups.ts";

/** One insurer behind the gateway. */
export interface Upstream {
  /** Whether the insurer is the package's own simulation. */
  readonly sandbox: boolean;
  /** Sends a call and reads its answer; throws a Refusal that says what is certain about the outcome. */
  call(endpoint: Endpoint, call: UpstreamCall): Promise<UpstreamAnswer>;
  /** How its traffic stands at this moment. */
  traffic(): ProviderTraffic;
  /** How many attempts have a connection or wait for one. */
  connections(): number;
  /** Waits for what is under way, then closes the connections. */
  close(): Promise<void>;
}

/** What an upstream is told of, and what it is told the time by. */
export interface UpstreamParts {
  readonly observation: Observation;
  /** Milliseconds since some instant, which no correction of the clock changes. */
  readonly now: () => number;
  /** Called when the insurer of a segment answers again, or takes the gateway's credentials again. */
  readonly recovered: (segment: string) => void;
}

/**
 * Puts an insurer behind a breaker, a bulkhead, retries and old answers of its own, so that its failures stay its own.
 * A sandbox has no breaker: its failures are asked for, and one caller's trial must not be another's.
 */
export function createUpstream(
  installed: InstalledProvider,
  connection: InsurerConnection,
  { now, observation, recovered }: UpstreamParts,
): Upstream {
  const { provider, segment, settings } = installed;
  const attempts = connectInsurer(connection);
  const hasRecovered = (): void => recovered(segment);
  const breaker = connection.sandbox
    ? neverOpens
    : createBreaker(settings.breaker, now, hasRecovered);
  const bulkhead = createBulkhead(settings.bulkhead);
  const observed = observedBy(installed);
  const { timeouts } = settings;
  const guarded = { attempts, breaker, bulkhead, observation, observed, timeouts };
  const attempt = createGuardedAttempt(guarded);
  const repeated = createRepeatedCall(attempt, createRetries(settings.retries), timeouts);
  const oldAnswers = createStaleAnswers<UpstreamAnswer>(settings.answers.staleHours, now);
  const gated = stoppingSubmissions(repeated, { provider, now, recovered: hasRecovered });
  const call = servingStale(gated, oldAnswers, observation, observed);
  return {
    sandbox: connection.sandbox,
    async call(endpoint, upstreamCall) {
      const begun = performance.now();
      try {
        return await call(endpoint, upstreamCall);
      } finally {
        upstreamCall.waited(performance.now() - begun);
      }
    },
    traffic: () => ({
      segment,
      provider: provider.id,
      sandbox: connection.sandbox,
      breaker: breaker.state(),
      running: bulkhead.running(),
      queued: bulkhead.queued(),
    }),
    connections: () => attempts.underWay(),
    close: () => attempts.close(),
  };
}

/** Gives each endpoint's name to the operator's tools. */
function observedBy({
  provider,
  segment,
}: InstalledProvider): (endpoint: Endpoint) => ObservedEndpoint {
  const known = new Map<Endpoint, ObservedEndpoint>(
    Object.entries(provider.endpoints).map(([name, endpoint]) => [
      endpoint,
      { segment, endpoint: name, kind: endpoint.kind },
    ]),
  );
  return (endpoint) => known.get(endpoint) ?? { segment, endpoint: "unknown", kind: endpoint.kind };
}
