import { createRequire } from "node:module";
import type { Registry } from "prom-client";
import type { Usage } from "../../accounts/usage/usage.ts";
import type { Expiry } from "../../configuration/expiries.ts";
import {
  combine,
  type Observation,
  type ProviderTraffic,
  type UnmatchedAnswer,
} from "../../events.ts";
import type { MaintenancePlan } from "../../insurers/maintenance.ts";
import type { ReloadState } from "../../reload/reload.ts";
import type { StoreState } from "../../store/store.ts";
import type { ClockFaults } from "../../submissions/store-clock.ts";
import { type CountedAnswers, countUnmatchedAnswers } from "./counted-answers.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { createProviderHealth, type ProviderHealth } from "./provider-health.ts";
import { type CountUnknown, type ReadUnknown, readUnknown } from "./unknown-submissions.ts";

/** The state of a gateway that observers ask for, in addition to its events; nothing is asked before it serves. */
export interface ObservedGateway {
  /** The current traffic of every provider. */
  readonly traffic: () => readonly ProviderTraffic[];
  /** How many bytes of insurers' answers are in memory. */
  readonly answerBytes: () => number;
  readonly countUnknown: CountUnknown;
  readonly storeState: () => StoreState;
  /** What is wrong with the clocks; null while the store has not been opened. */
  readonly clockFaults: () => ClockFaults | null;
  /** Which configuration runs. */
  readonly configuration: () => ReloadState;
  /** When credentials and certificates end. */
  readonly expiries: () => readonly Expiry[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The metrics of the process, which it has once, however many gateways run in it. */
  readonly processMetrics: Registry;
  readonly usage: Pick<Usage, "observation" | "unwritten" | "lost">;
  readonly maintenance: Pick<MaintenancePlan, "current">;
}

/** The observers of the gateway's events, and what they report to an operator. */
export interface GatewayObservation {
  readonly observation: Observation;
  readonly unmatched: Pick<CountedAnswers<UnmatchedAnswer>, "list">;
  readonly metrics: Metrics;
  readonly health: ProviderHealth;
  readonly traffic: () => readonly ProviderTraffic[];
  readonly unknownSubmissions: ReadUnknown;
  readonly now: () => number;
}

/** Begins to observe a gateway. */
export function observeGateway(gateway: ObservedGateway): GatewayObservation {
  const { now, traffic } = gateway;
  const unknownSubmissions = readUnknown(gateway.countUnknown);
  const health = createProviderHealth(now);
  const metrics = createMetrics({ ...gateway, unknownSubmissions, version: ownVersion() });
  const unmatched = countUnmatchedAnswers(now);
  const observation = combine([
    metrics.observation,
    health.observation,
    gateway.usage.observation,
    { answerUnmatched: (endpoint, answer) => void unmatched.count(endpoint, answer) },
  ]);
  return { observation, unmatched, metrics, health, traffic, unknownSubmissions, now };
}

function ownVersion(): string {
  // The package's own manifest, wherever the build has put this file.
  const manifest: { readonly version: string } = createRequire(import.meta.url)(
    "@insurance-gateway/gateway/package.json",
  );
  return manifest.version;
}
