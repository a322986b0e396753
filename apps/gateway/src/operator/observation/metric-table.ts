/** The help text of a metric, and its labels. */
export interface MetricFacts {
  readonly help: string;
  readonly labels: readonly string[];
}

/** Returns the options with which prom-client creates a metric of these tables. */
export function metricOptions(
  name: string,
  { help, labels }: MetricFacts,
): { name: string; help: string; labelNames: string[] } {
  return { name: `insurance_gateway_${name}`, help, labelNames: [...labels] };
}

/** All counters. The label `provider` is always the provider's path segment. */
export const counters = {
  requests_total: {
    help: "Requests that were answered or whose caller disconnected; the labels provider, endpoint, code and outcome are empty if they do not apply.",
    labels: ["provider", "endpoint", "status", "code", "outcome"],
  },
  callers_gone_total: {
    help: "Requests whose caller disconnected before the answer was sent.",
    labels: ["provider", "endpoint"],
  },
  attempts_total: {
    help: "Requests to insurers, by their result: answered, unusable, credentials_refused, failed, or cancelled (the caller disconnected, or the gateway left the insurer too little time).",
    labels: ["provider", "endpoint", "result"],
  },
  held_back_total: {
    help: "Calls that were not sent to the insurer, by the reason: breaker, bulkhead or maintenance.",
    labels: ["provider", "endpoint", "by"],
  },
  answers_refused_total: {
    help: "Calls that were refused because limits.answerBytes left no memory for the insurer's answer.",
    labels: ["provider", "endpoint"],
  },
  stale_answers_total: {
    help: "Lookups that were answered with a stale response, because the insurer failed, or the gateway could not send the call or had no memory for its answer.",
    labels: ["provider", "endpoint"],
  },
  answers_unmatched_total: {
    help: "Refusals of insurers that match no row in failures.",
    labels: ["provider", "endpoint", "status", "media_type", "has_code"],
  },
  answers_mismatched_total: {
    help: "Insurers' answers to submissions and searches that were not accepted because a field differed from the call, by field.",
    labels: ["provider", "endpoint", "field"],
  },
  unasked_bytes_total: {
    help: "Connections that were closed because an insurer sent bytes without a request, such as a second copy of an answer.",
    labels: ["provider"],
  },
  drift_differences_total: {
    help: "Differences between insurers' answers and their declarations, by kind; breaking is true if the answer was unusable.",
    labels: ["provider", "endpoint", "kind", "breaking"],
  },
  token_fetches_total: {
    help: "Fetches of a token for an insurer, by the result: fetched, refused, unreachable or unusable.",
    labels: ["provider", "result"],
  },
  rate_limited_total: {
    help: "Calls that were refused because the caller exceeded the request limit.",
    labels: ["provider", "endpoint"],
  },
  account_calls_total: {
    help: "Accepted calls, by account and by the outcome in the answer, which is empty for a success; accounts beyond the first 100 are counted as `other`.",
    labels: ["provider", "account", "kind", "outcome"],
  },
  quota_refusals_total: {
    help: "Calls that were refused because the account's quota of requests or of submissions was used up.",
    labels: ["provider", "account", "quota"],
  },
  tokens_refused_total: { help: "Tokens that were refused, by the reason.", labels: ["reason"] },
  issuer_key_fetches_failed_total: {
    help: "Fetches of an issuer's keys that failed.",
    labels: ["issuer"],
  },
  issuer_keys_refused_total: {
    help: "Keys in an issuer's key set that are too weak to be used, by the reason, counted at each fetch.",
    labels: ["issuer", "reason"],
  },
  wide_searchers_total: {
    help: "Callers with more different searches in an hour than observation.searchesPerHour; a caller counts at most once an hour.",
    labels: ["provider"],
  },
  reloads_total: {
    help: "Reloads of the configuration and its secrets, by the result: applied, unchanged or refused.",
    labels: ["result"],
  },
  administration_guesses_total: {
    help: "Requests for the administration of accounts with a wrong token.",
    labels: [],
  },
  shed_total: {
    help: "Requests that were refused because the gateway was overloaded.",
    labels: [],
  },
} as const satisfies Readonly<Record<string, MetricFacts>>;

const DURATION_BUCKETS_SECONDS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/**
 * All histograms. They have the label `kind` instead of `endpoint`: with 1,484 endpoints, the series of each endpoint
 * would block the gateway during a scrape.
 */
export const histograms = {
  request_duration_seconds: {
    help: "Duration of callers' calls, from their arrival until their answer was sent.",
    labels: ["provider", "kind"],
    buckets: DURATION_BUCKETS_SECONDS,
  },
  insurer_duration_seconds: {
    help: "Time for which calls waited for insurers, including queues and the waits between attempts.",
    labels: ["provider", "kind"],
    buckets: DURATION_BUCKETS_SECONDS,
  },
  overhead_seconds: {
    help: "Time that the gateway itself added to calls, without the time for insurers and the time in which callers sent the request or read the answer.",
    labels: ["kind"],
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  },
} as const satisfies Readonly<
  Record<string, MetricFacts & { readonly buckets: readonly number[] }>
>;

/** All gauges, which are read at each scrape. */
export const gauges = {
  breaker_state: {
    help: "1 for the current state of the insurer's circuit breaker, 0 for the other states.",
    labels: ["provider", "state"],
  },
  calls_running: {
    help: "Calls that are waiting for an insurer's answer now.",
    labels: ["provider"],
  },
  calls_queued: {
    help: "Calls that wait for a free slot at an insurer now.",
    labels: ["provider"],
  },
  answer_bytes: {
    help: "Bytes of limits.answerBytes that are reserved now for insurers' large answers.",
    labels: [],
  },
  calls_awaiting_memory: {
    help: "Calls that wait for memory of limits.answerBytes now.",
    labels: [],
  },
  calls_awaiting_token: {
    help: "Calls that wait for a token of the insurer now.",
    labels: ["provider"],
  },
  token_age: {
    help: "Age of the current token for the insurer, in seconds; omitted if there is none.",
    labels: ["provider"],
  },
  accounts_refused: {
    help: "Accounts whose credentials the insurer, or its token server, refuses now; the log and /providers name them.",
    labels: ["provider"],
  },
  submissions_unknown: {
    help: "Submissions whose outcome is unknown; omitted while the store is unavailable.",
    labels: ["provider"],
  },
  submissions_unserved: {
    help: "Submissions with an unknown outcome whose segment is no longer served; omitted while the store is unavailable.",
    labels: ["provider"],
  },
  store_state: {
    help: "1 for the current state of the store, 0 for the other states.",
    labels: ["state"],
  },
  clock_ahead: {
    help: "Difference between the clock of this process and the database's clock, in seconds, negative if the process's clock is behind; 0 without a database.",
    labels: [],
  },
  clock_started_behind: {
    help: "Time by which the clock was behind the latest time in the store when this process started, in seconds; 0 if it was not behind.",
    labels: [],
  },
  maintenance: {
    help: "1 while an insurer is in a maintenance window that the operator has declared, 0 otherwise.",
    labels: ["provider"],
  },
  usage_unwritten: {
    help: "Counted calls that are not yet in the store; their number grows while the store is unavailable.",
    labels: [],
  },
  usage_lost: {
    help: "Counted calls since the start that may be missing in the store, because the database's reply to the write was lost.",
    labels: [],
  },
  expires_at: {
    help: "Time of the first expiry of an insurer's credentials or certificates, in seconds since 1970; without a provider, of the gateway's own certificate.",
    labels: ["provider", "what"],
  },
  configuration_newest: {
    help: "1 while this process uses the current content of the files with its configuration and secrets; 0 if the process refused the content or has not applied it yet.",
    labels: [],
  },
  configuration_applied_at: {
    help: "Time at which this process last applied a configuration or a secret, including its start, in seconds since 1970.",
    labels: [],
  },
  build_info: { help: "Always 1; the label contains the gateway's version.", labels: ["version"] },
} as const satisfies Readonly<Record<string, MetricFacts>>;
