/** The help text of a metric, and its labels. */
export interface MetricFacts {
  readonly help: string;
  readonly labels: readonly string[];
}

/** How prom-client takes a metric of a table. */
export function named(
  name: string,
  { help, labels }: MetricFacts,
): { name: string; help: string; labelNames: string[] } {
  return { name: `insurance_gateway_${name}`, help, labelNames: [...labels] };
}

/** Every counter; the label `provider` is everywhere the provider's path segment. */
export const counters = {
  requests_total: {
    help: "Requests that were answered or whose caller disconnected; provider, endpoint, code and outcome are empty if there is none.",
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
    help: "Calls that were not sent to the insurer, by what held them back: breaker or bulkhead.",
    labels: ["provider", "endpoint", "by"],
  },
  answers_refused_total: {
    help: "Calls that were refused because limits.answerBytes had no room for the insurer's answer.",
    labels: ["provider", "endpoint"],
  },
  stale_answers_total: {
    help: "Lookups that were answered with a stale response: the insurer failed, or the gateway could not ask it or had no room for its answer.",
    labels: ["provider", "endpoint"],
  },
  answers_unmatched_total: {
    help: "Refusals of insurers that no row of failures matches.",
    labels: ["provider", "endpoint", "status", "media_type", "has_code"],
  },
  answers_mismatched_total: {
    help: "Answers to submissions and searches that differed from their call, by the field that differed; such an answer is not accepted.",
    labels: ["provider", "endpoint", "field"],
  },
  unasked_bytes_total: {
    help: "Times that an insurer sent bytes that no request asked for, such as an answer a second time; their connection was closed.",
    labels: ["provider"],
  },
  drift_differences_total: {
    help: "Differences between insurers' answers and their declarations, by kind, and whether the answer could not be used.",
    labels: ["provider", "endpoint", "kind", "breaking"],
  },
  token_fetches_total: {
    help: "Fetches of a token for an insurer, by how they ended: fetched, refused, unreachable or unusable.",
    labels: ["provider", "result"],
  },
  rate_limited_total: {
    help: "Calls that were over their caller's limit.",
    labels: ["provider", "endpoint"],
  },
  account_calls_total: {
    help: "Calls that were taken, by their account and the outcome that their answer states, which is empty for a success; accounts beyond the first 100 are `other`.",
    labels: ["provider", "account", "kind", "outcome"],
  },
  quota_refusals_total: {
    help: "Calls that were refused because their account's quota was used up: of requests or of submissions.",
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
    help: "Callers who searched for more different customers in an hour than observation.searchesPerHour, each once an hour.",
    labels: ["provider"],
  },
  reloads_total: {
    help: "Reloads of the configuration and its secrets, by their result: applied, unchanged or refused.",
    labels: ["result"],
  },
  administration_guesses_total: {
    help: "Requests for the administration of accounts whose token was wrong.",
    labels: [],
  },
  shed_total: {
    help: "Requests that were refused because the gateway had too much to do.",
    labels: [],
  },
} as const satisfies Readonly<Record<string, MetricFacts>>;

const upToAMinute: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/** Every histogram. By kind, not by endpoint: 1,484 endpoints with series of each would block the gateway during a scrape. */
export const histograms = {
  request_duration_seconds: {
    help: "How long calls of providers took, from their arrival until their answer was sent.",
    labels: ["provider", "kind"],
    buckets: upToAMinute,
  },
  insurer_duration_seconds: {
    help: "How long calls waited for insurers, with queues and the waits between attempts.",
    labels: ["provider", "kind"],
    buckets: upToAMinute,
  },
  overhead_seconds: {
    help: "The time that the gateway itself added to a call: without the time for the insurer, and without the time in which the caller sent or read.",
    labels: ["kind"],
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  },
} as const satisfies Readonly<
  Record<string, MetricFacts & { readonly buckets: readonly number[] }>
>;

/** Every gauge; they are read when somebody asks. */
export const gauges = {
  breaker_state: {
    help: "1 for the state that the insurer's breaker is in, 0 for the others.",
    labels: ["provider", "state"],
  },
  calls_running: { help: "Calls that an insurer is answering now.", labels: ["provider"] },
  calls_queued: {
    help: "Calls that wait for a free slot at an insurer now.",
    labels: ["provider"],
  },
  answer_bytes: {
    help: "Bytes that are reserved now for large answers of insurers, of limits.answerBytes.",
    labels: [],
  },
  calls_awaiting_token: {
    help: "Calls that wait for a token of the insurer now.",
    labels: ["provider"],
  },
  token_age: {
    help: "The age of the token that is sent to the insurer, in seconds; left out if there is none.",
    labels: ["provider"],
  },
  accounts_refused: {
    help: "Accounts whose credentials the insurer, or its token server, refuses now; the log and /providers name them.",
    labels: ["provider"],
  },
  submissions_unknown: {
    help: "Submissions whose outcome is unknown; left out while the store is unavailable.",
    labels: ["provider"],
  },
  submissions_unserved: {
    help: "Submissions without a known outcome whose segment is not served any more; left out while the store is unavailable.",
    labels: ["provider"],
  },
  store_state: {
    help: "1 for the state that the store of submissions is in, 0 for the others.",
    labels: ["state"],
  },
  clock_ahead: {
    help: "How far the clock of this process is ahead of the database's, in seconds, negative where it is behind; 0 without a database.",
    labels: [],
  },
  clock_started_behind: {
    help: "How far the clock was before the latest time in the store when this process started, in seconds; 0 if it was not.",
    labels: [],
  },
  maintenance: {
    help: "1 while an insurer is in a maintenance window that the operator has declared, 0 otherwise.",
    labels: ["provider"],
  },
  usage_unwritten: {
    help: "Calls that are counted and not yet in the store; their number grows while the store is unavailable.",
    labels: [],
  },
  usage_lost: {
    help: "Calls that were counted since the start and may be missing in the store, because its reply to their batch was lost.",
    labels: [],
  },
  expires_at: {
    help: "When the first of the credentials or certificates for an insurer expires, in seconds since 1970; without a provider, the gateway's own certificate.",
    labels: ["provider", "what"],
  },
  configuration_newest: {
    help: "1 while this process runs with the configuration and the secrets in its files; 0 if it refused them or has not applied them yet.",
    labels: [],
  },
  configuration_applied_at: {
    help: "When this process last applied a configuration or a secret, its start included, in seconds since 1970.",
    labels: [],
  },
  build_info: { help: "Always 1; the labels say what runs.", labels: ["version"] },
} as const satisfies Readonly<Record<string, MetricFacts>>;
