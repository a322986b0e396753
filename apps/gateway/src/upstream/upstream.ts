import type { FetchResult } from "@insurance-gateway/core/auth";
import type { Endpoint, FailureRow } from "@insurance-gateway/core/contract";
import type { InstalledProvider } from "../configuration/providers.ts";
import { openCredentials } from "../insurer-credentials/open.ts";
import type { Logger } from "../logging/logger.ts";
import type { Observation, ObservedEndpoint, ProviderTraffic } from "../observation/observation.ts";
import { createBreaker, neverOpens } from "../resilience/breaker.ts";
import { createBulkhead } from "../resilience/bulkhead.ts";
import { createRetries } from "../resilience/retries.ts";
import type { UpstreamAnswer } from "./answer.ts";
import { connectInsurer, type InsurerConnection, type UpstreamCall } from "./attempt.ts";
import { stoppingSubmissions } from "./credentials-gate.ts";
import { createGuardedAttempt } from "./guarded-attempt.ts";
import { createRepeatedCall } from "./repeated-call.ts";
import { createStaleResponses, servingStale } from "./stale-responses.ts";

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
  readonly logger: Pick<Logger, "warn">;
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
  { logger, now, observation, recovered }: UpstreamParts,
): Upstream {
  const { provider, segment, settings } = installed;
  const hasRecovered = (): void => recovered(segment);
  const breaker = connection.sandbox
    ? neverOpens
    : createBreaker(settings.breaker, now, hasRecovered);
  const bulkhead = createBulkhead(settings.bulkhead);
  const observed = observedBy(installed);
  const attempts = connectInsurer(connection, {
    rowsOf: (endpoint) => rowsOf(installed, endpoint),
    unmatched: (endpoint, answer) => observation.answerUnmatched(observed(endpoint), answer),
  });
  const { timeouts } = settings;
  let lastFetch: FetchResult = "fetched";
  const credentials = openCredentials({
    insurer: connection,
    now,
    fetched(result) {
      observation.tokenFetched({ segment }, result);
      if (result !== "fetched")
        logger.warn(
          { provider: provider.id, segment, reason: result },
          "an insurer's token cannot be fetched",
        );
      else if (lastFetch !== "fetched") hasRecovered();
      lastFetch = result;
    },
  });
  const guarded = { attempts, breaker, bulkhead, credentials, observation, observed, timeouts };
  const attempt = createGuardedAttempt(guarded);
  const repeated = createRepeatedCall(attempt, createRetries(settings.retries), timeouts);
  const staleResponses = createStaleResponses(settings.answers.staleHours, now);
  const gated = stoppingSubmissions(repeated, { provider, now, recovered: hasRecovered });
  const call = servingStale(gated, staleResponses, observation, observed);
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
      awaitingToken: credentials.waiting(),
      tokenAgeMs: credentials.ageMs(),
    }),
    connections: () => attempts.underWay() + credentials.underWay(),
    async close() {
      await attempts.close();
      await credentials.close();
    },
  };
}

/** What refusals mean: the operator's rows, which can correct the others, then the endpoint's, the provider's, the adapter's. */
function rowsOf(
  { adapter, provider, settings }: InstalledProvider,
  endpoint: Endpoint,
): readonly FailureRow[] {
  const added = settings.failures.filter(
    ({ endpoint: name }) => name === undefined || provider.endpoints[name] === endpoint,
  );
  return [
    ...added,
    ...(endpoint.failures ?? []),
    ...(provider.failures ?? []),
    ...adapter.failures,
  ];
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
