import type { Endpoint, FailureRow } from "@insurance-gateway/core/contract";
import type { InstalledProvider } from "../configuration/providers.ts";
import { defaultConnection, type ReadConnection } from "../connections/connection.ts";
import { connectionRemoved } from "../connections/tenants.ts";
import type { DriftWatch } from "../drift/watch.ts";
import type { Logger } from "../logging/logger.ts";
import type { Observation, ObservedEndpoint, ProviderTraffic } from "../observation/observation.ts";
import { createBreaker, neverOpens } from "../resilience/breaker.ts";
import { createBulkhead } from "../resilience/bulkhead.ts";
import type { UpstreamAnswer } from "./answer.ts";
import { connectInsurer, type InsurerConnection, type UpstreamCall } from "./attempt.ts";
import { openConnection } from "./open-connection.ts";
import { createOpenConnections } from "./open-connections.ts";
import type { RepeatedCall } from "./repeated-call.ts";
import { createStaleResponses, servingStale } from "./stale-responses.ts";

/** One insurer behind the gateway. */
export interface Upstream {
  /** Whether the insurer is the package's own simulation. */
  readonly sandbox: boolean;
  /** Sends a call and reads its answer; throws a Refusal that says what is certain about the outcome. */
  call(endpoint: Endpoint, call: UpstreamCall): Promise<UpstreamAnswer>;
  /** A connection has other credentials or settings, or was removed: calls that begin from now on use what it has now. */
  connectionChanged(id: string): void;
  /** How its traffic stands at this moment. */
  traffic(): ProviderTraffic;
  /** How many attempts have a connection or wait for one. */
  connections(): number;
  /** Waits for what is under way, then closes the connections. */
  close(): Promise<void>;
}

/** What an upstream works with. */
export interface UpstreamParts {
  readonly observation: Observation;
  readonly logger: Pick<Logger, "info" | "warn">;
  /** Called with each successful answer of the insurer. */
  readonly received: DriftWatch["received"];
  /** Milliseconds since some instant, which no correction of the clock changes. */
  readonly now: () => number;
  /**
   * Called when the insurer of a segment answers again, or takes the credentials of one connection again.
   * @param connection - null for all of them
   */
  readonly recovered: (segment: string, connection: string | null) => void;
  /** Reads what a connection uses, other than the default one. */
  readonly readConnection: ReadConnection;
  /** How long the insurer of a segment maintains its service from now on, in milliseconds; 0 when it does not. */
  readonly maintainedMs: (segment: string) => number;
}

/**
 * Puts an insurer behind a breaker, a bulkhead and stale responses of its own, so that its failures stay its own. Each
 * connection to it has credentials, retries and a gate of its own. A sandbox has no breaker: its failures are asked for,
 * and one caller's trial must not be another's.
 */
export function createUpstream(
  installed: InstalledProvider,
  insurer: InsurerConnection,
  parts: UpstreamParts,
): Upstream {
  const { maintainedMs, now, observation, readConnection, received, recovered } = parts;
  const { provider, segment, settings } = installed;
  const breaker = insurer.sandbox
    ? neverOpens
    : createBreaker(settings.breaker, now, () => recovered(segment, null));
  const bulkhead = createBulkhead(settings.bulkhead);
  const observed = observedBy(installed);
  const attempts = connectInsurer(insurer, {
    rowsOf: (endpoint) => rowsOf(installed, endpoint),
    unmatched: (endpoint, answer) => observation.answerUnmatched(observed(endpoint), answer),
    received: (endpoint, answer) => received(observed(endpoint), endpoint, answer),
  });
  const { timeouts } = settings;
  const guarded = {
    attempts,
    breaker,
    bulkhead,
    observation,
    observed,
    timeouts,
    maintainedMs: () => maintainedMs(segment),
  };
  const open = createOpenConnections(async (id) =>
    openConnection(await contentOf(id, insurer, segment, readConnection), {
      ...parts,
      id,
      installed,
      guarded,
    }),
  );
  const ofConnection: RepeatedCall = (endpoint, call) =>
    open.use(call.connection, (connection) => connection.call(endpoint, call));
  const staleResponses = createStaleResponses(settings.answers.staleHours, now);
  const call = servingStale(ofConnection, staleResponses, observation, observed);
  const underWay = (): number =>
    open.all().reduce((sum, { credentials }) => sum + credentials.underWay(), 0);
  return {
    sandbox: insurer.sandbox,
    async call(endpoint, upstreamCall) {
      const begun = performance.now();
      try {
        return await call(endpoint, upstreamCall);
      } finally {
        upstreamCall.waited(performance.now() - begun);
      }
    },
    connectionChanged: (id) => open.forget(id),
    traffic() {
      const all = open.all();
      const ages = all.flatMap(({ credentials }) => credentials.ageMs() ?? []);
      return {
        segment,
        provider: provider.id,
        sandbox: insurer.sandbox,
        breaker: breaker.state(),
        running: bulkhead.running(),
        queued: bulkhead.queued(),
        awaitingToken: all.reduce((sum, { credentials }) => sum + credentials.waiting(), 0),
        tokenAgeMs: ages.length === 0 ? null : Math.max(...ages),
        refusedConnections: all.filter((one) => one.isRefused()).map(({ id }) => id),
      };
    },
    connections: () => attempts.underWay() + underWay(),
    async close() {
      await attempts.close();
      await open.close();
    },
  };
}

/** The insurer as a connection reaches it. */
async function contentOf(
  id: string,
  insurer: InsurerConnection,
  segment: string,
  readConnection: ReadConnection,
): Promise<InsurerConnection> {
  if (id === defaultConnection) return insurer;
  const content = await readConnection(segment, id);
  if (content === null) throw connectionRemoved();
  return {
    ...insurer,
    credentials: content.credentials ?? insurer.credentials,
    settings: content.settings ?? insurer.settings,
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
