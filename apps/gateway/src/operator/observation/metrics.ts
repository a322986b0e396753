import { Counter, Gauge, Registry } from "prom-client";
import type { Usage } from "../../accounts/usage/account-usage.ts";
import type { Expiry } from "../../configuration/expiries.ts";
import type { BreakerState, Observation, ObservedEndpoint, ProviderTraffic } from "../../events.ts";
import type { AnswerBudget } from "../../insurers/exchange/answer-budget.ts";
import type { MaintenancePlan } from "../../insurers/resilience/maintenance.ts";
import type { ReloadState } from "../../reload/current.ts";
import { type StoreState, storeStates } from "../../store/store.ts";
import type { ClockFaults } from "../../submissions/store-clock.ts";
import { counters, gauges, metricOptions } from "./metric-table.ts";
import { countRequests } from "./request-metrics.ts";
import type { ReadUnknown } from "./unknown-submissions.ts";

/** Functions that return the state of a gateway for the gauges. */
export interface ShownState {
  /** Returns the current traffic of every provider. */
  readonly traffic: () => readonly ProviderTraffic[];
  /** States how much memory insurers' answers have reserved, and how many calls wait for memory. */
  readonly answerMemory: Pick<AnswerBudget, "held" | "waiting">;
  readonly unknownSubmissions: ReadUnknown;
  readonly storeState: () => StoreState;
  readonly clockFaults: () => ClockFaults | null;
  readonly usage: Pick<Usage, "unwritten" | "lost">;
  readonly maintenance: Pick<MaintenancePlan, "current">;
  readonly configuration: () => ReloadState;
  /** Returns the expiry dates of credentials and certificates. */
  readonly expiries: () => readonly Expiry[];
  /** The gateway's version. */
  readonly version: string;
}

/** The events that metrics count. */
export type CountedEvents = Omit<Observation, "accountChanged" | "insurerRecovered">;

/** The metrics of a gateway for Prometheus. */
export type Metrics = ReturnType<typeof createMetrics>;

const breakerStates: readonly BreakerState[] = ["closed", "half_open", "open"];

/**
 * Creates the metrics of a gateway. Labels are declared names and fixed words, never a value from a caller.
 * @param processMetrics - the metrics of the process, which all gateways in the process share
 */
export function createMetrics(processMetrics: Registry) {
  const own = new Registry();
  const observation = countEvents(own);
  const contentType: string = own.contentType;
  return {
    observation,
    /** Adds gauges for the state of the gateway. */
    show: (state: ShownState): void => addGauges(own, state),
    /** Returns all metrics in the text format of Prometheus. */
    read: (): Promise<string> => Registry.merge([own, processMetrics]).metrics(),
    /** The media type of the text format. */
    contentType,
  };
}

type Labels = Readonly<Record<string, string | number>>;

/** Returns an observer that counts events in the registry. */
function countEvents(registry: Registry): CountedEvents {
  /** Creates a counter, and returns the function that an event calls to increase the counter. */
  const counter = <Facts extends readonly unknown[]>(
    name: keyof typeof counters,
    labelsOf: (...facts: Facts) => Labels,
  ): ((...facts: Facts) => void) => {
    const made = new Counter({ ...metricOptions(name, counters[name]), registers: [registry] });
    return (...facts) => made.inc(labelsOf(...facts));
  };
  const endpointOf = ({ endpoint, segment }: ObservedEndpoint): Labels => ({
    provider: segment,
    endpoint,
  });
  const labelOf = createAccountLabels();
  return {
    attemptEnded: counter("attempts_total", (attempt) => ({
      ...endpointOf(attempt),
      result: attempt.result,
    })),
    heldBack: counter("held_back_total", (endpoint, by) => ({ ...endpointOf(endpoint), by })),
    answerRefused: counter("answers_refused_total", endpointOf),
    answeredStale: counter("stale_answers_total", endpointOf),
    answerMismatched: counter("answers_mismatched_total", (endpoint, field) => ({
      ...endpointOf(endpoint),
      field,
    })),
    bytesUnasked: counter("unasked_bytes_total", ({ segment }) => ({ provider: segment })),
    answerUnmatched: counter(
      "answers_unmatched_total",
      (endpoint, { code, mediaType, status }) => ({
        ...endpointOf(endpoint),
        status,
        media_type: knownMediaTypes.includes(mediaType) ? mediaType : "other",
        has_code: String(code !== null),
      }),
    ),
    drifted: counter("drift_differences_total", (endpoint, { breaking, kind }) => ({
      ...endpointOf(endpoint),
      kind,
      breaking: String(breaking),
    })),
    tokenFetched: counter("token_fetches_total", ({ segment }, result) => ({
      provider: segment,
      result,
    })),
    rateLimited: counter("rate_limited_total", endpointOf),
    quotaReached: counter("quota_refusals_total", ({ account, segment }, quota) => ({
      provider: segment,
      account: labelOf(account),
      quota,
    })),
    tokenRefused: counter("tokens_refused_total", (reason) => ({ reason: reasonLabel(reason) })),
    issuerKeysFailed: counter("issuer_key_fetches_failed_total", (issuer) => ({ issuer })),
    issuerKeyRefused: counter("issuer_keys_refused_total", (issuer, reason) => ({
      issuer,
      reason: reasonLabel(reason),
    })),
    searchedWidely: counter("wide_searchers_total", ({ segment }) => ({ provider: segment })),
    reloaded: counter("reloads_total", (result) => ({ result })),
    administrationGuessed: counter("administration_guesses_total", () => ({})),
    shed: counter("shed_total", () => ({})),
    requestEnded: countRequests(registry, labelOf),
  };
}

/** Maximum number of accounts with a separate label. */
const MAX_LABELLED_ACCOUNTS = 100;

/** Returns a function that returns an account's label: the id for the first 100 accounts, then `other`. */
function createAccountLabels(): (account: string) => string {
  const labelled = new Set<string>();
  return (account) => {
    if (labelled.size < MAX_LABELLED_ACCOUNTS) labelled.add(account);
    return labelled.has(account) ? account : "other";
  };
}

/** The media types with a separate label. An insurer could create any number of labels with other media types. */
const knownMediaTypes: readonly string[] = [
  "application/json",
  "application/problem+json",
  "application/xml",
  "text/xml",
  "text/html",
  "text/plain",
];

/** The values of a gauge, each with its labels. */
type GaugeValues = readonly (readonly [labels: Labels, value: number])[];

/** Adds the gauges to the registry. Each scrape reads the gauges' current values. */
function addGauges(registry: Registry, state: ShownState): void {
  for (const [name, read] of Object.entries(gaugeReaders(state))) {
    const gauge = new Gauge({
      ...metricOptions(name, gauges[name as keyof typeof gauges]), // the record has these keys only
      registers: [],
      async collect() {
        const readings = await read();
        // Removes the values of providers and expiries that no longer exist.
        this.reset();
        for (const [labels, value] of readings) this.set(labels, value);
      },
    });
    registry.registerMetric(gauge);
  }
}

/** Returns one function for each gauge, which returns the gauge's current values. */
function gaugeReaders(
  state: ShownState,
): Readonly<Record<keyof typeof gauges, () => GaugeValues | Promise<GaugeValues>>> {
  const {
    answerMemory,
    clockFaults,
    configuration,
    maintenance,
    traffic,
    unknownSubmissions,
    usage,
  } = state;
  /** Returns a gauge with one value without labels, or without a value for null. */
  const alone = (value: number | null): GaugeValues => (value === null ? [] : [[{}, value]]);
  /** Returns a function that returns one value for each provider, without the values that are null. */
  const each =
    (numberIn: (one: ProviderTraffic) => number | null): (() => GaugeValues) =>
    () =>
      traffic().flatMap((one) =>
        alone(numberIn(one)).map(([, value]) => [{ provider: one.segment }, value] as const),
      );
  const inSeconds = (milliseconds: number | null | undefined): number | null =>
    typeof milliseconds === "number" ? milliseconds / 1_000 : null;
  return {
    breaker_state: () =>
      traffic().flatMap(({ breaker, segment: provider }) =>
        breakerStates.map((state) => [{ provider, state }, state === breaker ? 1 : 0] as const),
      ),
    calls_running: each(({ running }) => running),
    calls_queued: each(({ queued }) => queued),
    calls_awaiting_token: each(({ awaitingToken }) => awaitingToken),
    maintenance: each(({ segment }) => (maintenance.current(segment) === null ? 0 : 1)),
    answer_bytes: () => alone(answerMemory.held()),
    calls_awaiting_memory: () => alone(answerMemory.waiting()),
    usage_unwritten: () => alone(usage.unwritten()),
    usage_lost: () => alone(usage.lost()),
    token_age: each(({ tokenAgeMs }) => inSeconds(tokenAgeMs)),
    accounts_refused: each(({ refusedAccounts }) => refusedAccounts.length),
    async submissions_unknown() {
      const unknown = await unknownSubmissions();
      if (unknown === null) return [];
      const served = traffic().map(({ segment }) => [segment, 0] as const);
      return [...new Map([...served, ...unknown])].map(([provider, submissions]) => [
        { provider },
        submissions,
      ]);
    },
    async submissions_unserved() {
      const served = new Set(traffic().map(({ segment }) => segment));
      return [...((await unknownSubmissions()) ?? [])].flatMap(([provider, submissions]) =>
        served.has(provider) ? [] : [[{ provider }, submissions] as const],
      );
    },
    store_state: () =>
      storeStates.map((one) => [{ state: one }, one === state.storeState() ? 1 : 0] as const),
    clock_ahead: () => alone(inSeconds(clockFaults()?.aheadMs)),
    clock_started_behind: () => alone(inSeconds(clockFaults()?.startedBehindMs)),
    expires_at: () => firstExpiries(state.expiries()),
    configuration_newest: () => alone(configuration().isNewest ? 1 : 0),
    configuration_applied_at: () => alone(inSeconds(configuration().appliedAt)),
    build_info: () => [[{ version: state.version }, 1]],
  };
}

/** Returns the earliest expiry of each kind for each provider, with the labels of the gauge. */
function firstExpiries(expiries: readonly Expiry[]): GaugeValues {
  const groups = Map.groupBy(expiries, ({ segment, what }) => `${segment} ${what}`);
  return [...groups.values()].flatMap((ends) => {
    const [first] = ends.toSorted((one, other) => one.at - other.at);
    if (first === undefined) return [];
    return [[{ provider: first.segment, what: first.what }, first.at / 1_000] as const];
  });
}

function reasonLabel(reason: string): string {
  return /^[a-z_]{1,40}$/.test(reason) ? reason : "other";
}
