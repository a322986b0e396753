import { createRequire } from "node:module";
import type { Registry } from "prom-client";
import {
  createEvents,
  type Difference,
  type Events,
  type Observation,
  type ProviderTraffic,
  type UnmatchedAnswer,
} from "../../events.ts";
import type { Logger } from "../logging/logger.ts";
import { type CountedAnswers, countDifferences, countUnmatchedAnswers } from "./counted-answers.ts";
import { createMetrics, type Metrics, type ShownState } from "./metrics.ts";
import { createProviderHealth, type ProviderHealth } from "./provider-health.ts";
import { type CountUnknown, type ReadUnknown, shareUnknownQuery } from "./unknown-submissions.ts";

/**
 * The observers that count the events of a gateway. They are created before the gateway's other parts, so they miss no
 * event.
 */
export interface Observers {
  readonly events: Events;
  readonly unmatched: Pick<CountedAnswers<UnmatchedAnswer>, "list">;
  /** The differences between insurers' answers and their declarations. */
  readonly drift: Pick<CountedAnswers<Difference>, "list">;
  readonly metrics: Metrics;
  readonly health: ProviderHealth;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/** Creates the events of a gateway and the observers that count them. */
export function createObservers(
  processMetrics: Registry,
  now: () => number,
  logger: Pick<Logger, "warn">,
): Observers {
  const metrics = createMetrics(processMetrics);
  const health = createProviderHealth(now);
  const unmatched = countUnmatchedAnswers(now);
  const drift = countDifferences(now);
  const events = createEvents(metrics.observation, health.observation, {
    answerUnmatched: (endpoint, answer) => void unmatched.count(endpoint, answer),
    drifted(observed, difference) {
      const { endpoint, segment } = observed;
      const { breaking, kind, pointer } = difference;
      const fields = [pointer || "/*"];
      if (drift.count(observed, difference))
        logger.warn(
          { segment, endpoint, fields, difference: kind, breaking },
          "an insurer's answer differs from its declaration",
        );
    },
  });
  return { events, unmatched, drift, metrics, health, now };
}

/** Functions that return the state of a gateway, for metrics and the operator's pages. */
export interface GatewayState extends Omit<ShownState, "unknownSubmissions" | "version"> {
  readonly countUnknown: CountUnknown;
}

/** The counted events and the state of a gateway, for metrics and the operator's pages. */
export interface GatewayObservation extends Omit<Observers, "events"> {
  readonly observation: Observation;
  readonly traffic: () => readonly ProviderTraffic[];
  readonly unknownSubmissions: ReadUnknown;
}

/** Adds the state of a gateway to its metrics. Called after all parts of the gateway are open. */
export function showState(
  { events, ...observers }: Observers,
  { countUnknown, ...state }: GatewayState,
): GatewayObservation {
  const unknownSubmissions = shareUnknownQuery(countUnknown);
  observers.metrics.show({ ...state, unknownSubmissions, version: ownVersion() });
  return { ...observers, observation: events, traffic: state.traffic, unknownSubmissions };
}

function ownVersion(): string {
  // Find the manifest by the package name, because this file has different places in source and build.
  const manifest: { readonly version: string } = createRequire(import.meta.url)(
    "@insurance-gateway/gateway/package.json",
  );
  return manifest.version;
}
