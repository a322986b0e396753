import { Counter, Gauge, Registry } from "prom-client";
import type { Usage } from "../../accounts/usage/account-usage.ts";
import type { Expiry } from "../../configuration/expiries.ts";
import type { BreakerState, Observation, ProviderTraffic } from "../../events.ts";
import type { MaintenancePlan } from "../../insurers/resilience/maintenance.ts";
import type { ReloadState } from "../../reload/current.ts";
import { type StoreState, storeStates } from "../../store/store.ts";
import type { ClockFaults } from "../../submissions/store-clock.ts";
import { type CounterName, counters, type GaugeName, gauges, named } from "./metric-table.ts";
import { countRequests } from "./request-metrics.ts";
import type { ReadUnknown } from "./unknown-submissions.ts";

/** The state of a gateway that metrics show. */
export interface ShownState {
  /** The current traffic of every provider. */
  readonly traffic: () => readonly ProviderTraffic[];
  /** How many bytes of insurers' answers are in memory. */
  readonly answerBytes: () => number;
  readonly unknownSubmissions: ReadUnknown;
  readonly storeState: () => StoreState;
  readonly clockFaults: () => ClockFaults | null;
  readonly usage: Pick<Usage, "unwritten" | "lost">;
  readonly maintenance: Pick<MaintenancePlan, "current">;
  readonly configuration: () => ReloadState;
  /** When credentials and certificates end. */
  readonly expiries: () => readonly Expiry[];
  /** The gateway's own version. */
  readonly version: string;
}

/** The events that have a counter. */
export type CountedEvents = Omit<Observation, "accountChanged" | "insurerRecovered">;

/** Counts what happens, for Prometheus. */
export interface Metrics {
  readonly observation: CountedEvents;
  /** Shows the state of the gateway beside what was counted. */
  show(state: ShownState): void;
  /** Everything in the text format of Prometheus. */
  read(): Promise<string>;
  /** The media type of that format. */
  readonly contentType: string;
}

const breakerStates: readonly BreakerState[] = ["closed", "half_open", "open"];

/**
 * Makes metrics with a registry of their own. Labels are declarations and words of fixed sets, never a value of a
 * caller.
 * @param processMetrics - the metrics of the process, which it has once, however many gateways run in it
 */
export function createMetrics(processMetrics: Registry): Metrics {
  const own = new Registry();
  const observation = count(own);
  return {
    observation,
    show: (state) => watch(own, state),
    read: () => Registry.merge([own, processMetrics]).metrics(),
    contentType: own.contentType,
  };
}

/** Counts events. */
function count(registry: Registry): CountedEvents {
  const counter = (name: CounterName): Counter => {
    return new Counter({ ...named(name, counters[name]), registers: [registry] });
  };
  const attempts = counter("attempts_total");
  const held = counter("held_back_total");
  const answersRefused = counter("answers_refused_total");
  const stale = counter("stale_answers_total");
  const mismatched = counter("answers_mismatched_total");
  const unasked = counter("unasked_bytes_total");
  const unmatched = counter("answers_unmatched_total");
  const differences = counter("drift_differences_total");
  const fetches = counter("token_fetches_total");
  const limited = counter("rate_limited_total");
  const quotas = counter("quota_refusals_total");
  const labelOf = boundedLabels();
  const tokens = counter("tokens_refused_total");
  const keyFetches = counter("issuer_key_fetches_failed_total");
  const keysRefused = counter("issuer_keys_refused_total");
  const wideSearchers = counter("wide_searchers_total");
  const reloads = counter("reloads_total");
  const administrationGuesses = counter("administration_guesses_total");
  const shed = counter("shed_total");
  return {
    requestEnded: countRequests(registry, labelOf),
    attemptEnded: ({ endpoint, result, segment }) =>
      attempts.inc({ provider: segment, endpoint, result }),
    heldBack: ({ endpoint, segment }, by) => held.inc({ provider: segment, endpoint, by }),
    answerRefused: ({ endpoint, segment }) => answersRefused.inc({ provider: segment, endpoint }),
    answeredStale: ({ endpoint, segment }) => stale.inc({ provider: segment, endpoint }),
    answerMismatched: ({ endpoint, segment }, field) =>
      mismatched.inc({ provider: segment, endpoint, field }),
    bytesUnasked: ({ segment }) => unasked.inc({ provider: segment }),
    answerUnmatched: ({ endpoint, segment }, { code, mediaType, status }) =>
      unmatched.inc({
        provider: segment,
        endpoint,
        status,
        media_type: knownMediaTypes.includes(mediaType) ? mediaType : "other",
        has_code: String(code !== null),
      }),
    drifted: ({ endpoint, segment }, { breaking, kind }) =>
      differences.inc({ provider: segment, endpoint, kind, breaking: String(breaking) }),
    tokenFetched: ({ segment }, result) => fetches.inc({ provider: segment, result }),
    rateLimited: ({ endpoint, segment }) => limited.inc({ provider: segment, endpoint }),
    quotaReached: ({ account, segment }, quota) =>
      quotas.inc({ provider: segment, account: labelOf(account), quota }),
    tokenRefused: (reason) => tokens.inc({ reason: word(reason) }),
    issuerKeysFailed: (issuer) => keyFetches.inc({ issuer }),
    issuerKeyRefused: (issuer, reason) => keysRefused.inc({ issuer, reason: word(reason) }),
    searchedWidely: ({ segment }) => wideSearchers.inc({ provider: segment }),
    reloaded: (result) => reloads.inc({ result }),
    administrationGuessed: () => administrationGuesses.inc(),
    shed: () => shed.inc(),
  };
}

/** How many accounts have a label of their own. */
const LABELLED_ACCOUNTS = 100;

/** Gives the first accounts their ids as labels, and all others one together. */
function boundedLabels(): (account: string) => string {
  const labelled = new Set<string>();
  return (account) => {
    if (labelled.size < LABELLED_ACCOUNTS) labelled.add(account);
    return labelled.has(account) ? account : "other";
  };
}

/** The media types that have a label of their own; an insurer could otherwise make as many as it likes. */
const knownMediaTypes: readonly string[] = [
  "application/json",
  "application/problem+json",
  "application/xml",
  "text/xml",
  "text/html",
  "text/plain",
];

/** Adds gauges that read the state of the gateway when somebody asks. */
function watch(
  registry: Registry,
  {
    answerBytes,
    configuration,
    expiries,
    maintenance,
    storeState,
    clockFaults,
    traffic,
    unknownSubmissions,
    usage,
    version,
  }: ShownState,
): void {
  const gauge = (name: GaugeName, collect: (gauge: Gauge) => void | Promise<void>): void => {
    const made = new Gauge({
      ...named(name, gauges[name]),
      registers: [],
      collect() {
        // Values that no longer exist are removed.
        this.reset();
        return collect(this);
      },
    });
    registry.registerMetric(made);
  };
  gauge("breaker_state", (gauge) => {
    for (const { breaker, segment } of traffic())
      for (const state of breakerStates)
        gauge.set({ provider: segment, state }, state === breaker ? 1 : 0);
  });
  gauge("calls_running", (gauge) => {
    for (const { running, segment } of traffic()) gauge.set({ provider: segment }, running);
  });
  gauge("calls_queued", (gauge) => {
    for (const { queued, segment } of traffic()) gauge.set({ provider: segment }, queued);
  });
  gauge("calls_awaiting_token", (gauge) => {
    for (const { awaitingToken, segment } of traffic())
      gauge.set({ provider: segment }, awaitingToken);
  });
  gauge("maintenance", (gauge) => {
    for (const { segment } of traffic())
      gauge.set({ provider: segment }, maintenance.current(segment) === null ? 0 : 1);
  });
  gauge("answer_bytes", (gauge) => gauge.set(answerBytes()));
  gauge("usage_unwritten", (gauge) => gauge.set(usage.unwritten()));
  gauge("usage_lost", (gauge) => gauge.set(usage.lost()));
  gauge("token_age", (gauge) => {
    for (const { segment, tokenAgeMs } of traffic())
      if (tokenAgeMs !== null) gauge.set({ provider: segment }, tokenAgeMs / 1_000);
  });
  gauge("accounts_refused", (gauge) => {
    for (const { refusedAccounts, segment } of traffic())
      gauge.set({ provider: segment }, refusedAccounts.length);
  });
  gauge("submissions_unknown", async (gauge) => {
    const unknown = await unknownSubmissions();
    if (unknown === null) return;
    for (const { segment } of traffic()) gauge.set({ provider: segment }, 0);
    for (const [provider, submissions] of unknown) gauge.set({ provider }, submissions);
  });
  gauge("submissions_unserved", async (gauge) => {
    const served = new Set(traffic().map(({ segment }) => segment));
    for (const [provider, submissions] of (await unknownSubmissions()) ?? [])
      if (!served.has(provider)) gauge.set({ provider }, submissions);
  });
  gauge("store_state", (gauge) => {
    for (const state of storeStates) gauge.set({ state }, state === storeState() ? 1 : 0);
  });
  gauge("clock_ahead", (gauge) => {
    const faults = clockFaults();
    if (faults !== null) gauge.set(faults.aheadMs / 1_000);
  });
  gauge("clock_started_behind", (gauge) => {
    const faults = clockFaults();
    if (faults !== null) gauge.set(faults.startedBehindMs / 1_000);
  });
  gauge("expires_at", (gauge) => {
    for (const [labels, at] of firstEnds(expiries())) gauge.set(labels, at / 1_000);
  });
  gauge("configuration_newest", (gauge) => gauge.set(configuration().isNewest ? 1 : 0));
  gauge("configuration_applied_at", (gauge) => gauge.set(configuration().appliedAt / 1_000));
  gauge("build_info", (gauge) => gauge.set({ version }, 1));
}

/** The first end of each thing for each insurer, with the labels that it has. */
function firstEnds(
  expiries: readonly Expiry[],
): readonly (readonly [labels: Readonly<Record<string, string>>, at: number])[] {
  const groups = Map.groupBy(expiries, ({ segment, what }) => `${segment} ${what}`);
  return [...groups.values()].flatMap((ends) => {
    const [first] = ends.toSorted((one, other) => one.at - other.at);
    return first === undefined
      ? []
      : [[{ provider: first.segment, what: first.what }, first.at] as const];
  });
}

function word(reason: string): string {
  return /^[a-z_]{1,40}$/.test(reason) ? reason : "other";
}
