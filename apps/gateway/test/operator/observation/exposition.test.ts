import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { createMetrics, type Metrics } from "../../../src/operator/observation/metrics.ts";
import { endpointOf, requestOf, trafficOf } from "../operations/operations-server.ts";

function metricsWith(): Metrics {
  const metrics = createMetrics(new Registry());
  metrics.show({
    traffic: () => [
      trafficOf("motor", {
        breaker: "half_open",
        running: 3,
        queued: 2,
        awaitingToken: 1,
        tokenAgeMs: 1_500,
        refusedAccounts: ["north", "south"],
      }),
      trafficOf("home"),
    ],
    answerMemory: { held: () => 4_096, waiting: () => 3 },
    unknownSubmissions: async () => new Map([["motor", 2]]),
    storeState: () => "files_moved",
    clockFaults: () => ({ aheadMs: -31_000, startedBehindMs: 7_000 }),
    usage: { unwritten: () => 7, lost: () => 8 },
    maintenance: {
      current: (segment) => (segment === "home" ? { from: 0, to: 1, note: null } : null),
    },
    configuration: () => ({ isNewest: false, appliedAt: 1_500 }),
    expiries: () => [
      { segment: "motor", what: "certificate", at: 9_000 },
      { segment: "motor", what: "certificate", at: 2_500 },
      { segment: "", what: "certificate", at: 4_000 },
    ],
    version: "1.2.3",
  });
  return metrics;
}

/** Returns the metrics' samples in the order of the metrics page, without help texts. */
async function samplesOf(metrics: Metrics): Promise<readonly string[]> {
  const text = await metrics.read();
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.replace("insurance_gateway_", ""));
}

it("every event and every state of the gateway appears in the metrics", async () => {
  const metrics = metricsWith();
  const { observation } = metrics;
  const brands = endpointOf("motor");
  const apply = endpointOf("motor", "createApplication", "submission");
  observation.requestEnded(requestOf(brands, { durationMs: 5, insurerMs: 0, ownMs: 0.1 }));
  observation.requestEnded(
    requestOf(apply, {
      account: "north",
      status: 504,
      code: "OUTCOME_UNKNOWN",
      outcome: "unknown",
      durationMs: 60_000,
      insurerMs: 59_000,
      ownMs: 1_000,
    }),
  );
  observation.requestEnded(requestOf(apply, { account: "north", callerGone: true, ownMs: -1 }));
  observation.requestEnded(
    requestOf(null, { status: 401, code: "UNAUTHENTICATED", callerGone: true }),
  );
  observation.attemptEnded({ ...apply, result: "failed", durationMs: 5 });
  observation.heldBack(apply, "bulkhead");
  observation.answerRefused(apply);
  observation.answeredStale(brands);
  observation.answerMismatched(apply, "/holder/afm");
  observation.bytesUnasked(apply);
  const answer = { status: 409, mediaType: "text/html", code: "E-1", at: "/code" };
  observation.answerUnmatched(apply, answer);
  observation.answerUnmatched(apply, { ...answer, mediaType: "x/y", code: null, at: null });
  observation.drifted(apply, { kind: "type", pointer: "/a", breaking: true } as never);
  observation.tokenFetched(apply, "refused");
  observation.rateLimited(apply);
  observation.quotaReached({ account: "north", segment: "motor" }, "requests");
  observation.tokenRefused("expired");
  observation.tokenRefused("sub=maria");
  observation.issuerKeysFailed("https://login.example");
  observation.issuerKeyRefused("https://login.example", "weak");
  observation.searchedWidely(apply);
  observation.reloaded("applied");
  observation.administrationGuessed();
  observation.shed();
  const samples = await samplesOf(metrics);
  expect(samples.filter((line) => !line.includes("_bucket{"))).toEqual(SAMPLES);
  const bucketsOf = (name: string, kind: string): readonly string[] =>
    samples
      .filter((line) => line.startsWith(`${name}_bucket{`) && line.includes(`kind="${kind}"`))
      .map((line) => line.replace(/^.*le="([^"]+)".* (\d+)$/, "$1: $2"));
  const upToAMinute = "0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 30 60 +Inf".split(" ");
  const counted = (bounds: readonly string[], ...steps: readonly (readonly [number, number])[]) =>
    bounds.map((bound) => {
      const value = bound === "+Inf" ? Number.POSITIVE_INFINITY : Number(bound);
      const step = steps.findLast(([from]) => value >= from);
      return `${bound}: ${step?.[1] ?? 0}`;
    });
  expect(bucketsOf("request_duration_seconds", "lookup")).toEqual(counted(upToAMinute, [0, 1]));
  expect(bucketsOf("request_duration_seconds", "submission")).toEqual(
    counted(upToAMinute, [0.025, 1], [60, 2]),
  );
  expect(bucketsOf("insurer_duration_seconds", "submission")).toEqual(
    counted(upToAMinute, [0.01, 1], [60, 2]),
  );
  const short = "0.0001 0.00025 0.0005 0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 1 +Inf".split(
    " ",
  );
  expect(bucketsOf("overhead_seconds", "lookup")).toEqual(counted(short, [0, 1]));
  expect(bucketsOf("overhead_seconds", "submission")).toEqual(counted(short, [0, 1], [1, 2]));
});

it("the gateway's metrics count all accounts beyond the first hundred under one label value", async () => {
  const metrics = metricsWith();
  for (let number = 1; number <= 102; number += 1)
    metrics.observation.requestEnded(requestOf(endpointOf("motor"), { account: `c${number}` }));
  metrics.observation.requestEnded(requestOf(endpointOf("motor"), { account: "c100" }));
  const samples = await samplesOf(metrics);
  const calls = samples.filter((line) => line.startsWith("account_calls_total"));
  expect(calls).toHaveLength(101);
  expect(calls.slice(-2)).toEqual(
    [
      ["c100", 2],
      ["other", 2],
    ].map(
      ([account, total]) =>
        `account_calls_total{provider="motor",account="${account}",kind="lookup",outcome=""} ${total}`,
    ),
  );
});

const SAMPLES: readonly string[] = [
  'attempts_total{provider="motor",endpoint="createApplication",result="failed"} 1',
  'held_back_total{provider="motor",endpoint="createApplication",by="bulkhead"} 1',
  'answers_refused_total{provider="motor",endpoint="createApplication"} 1',
  'stale_answers_total{provider="motor",endpoint="listBrands"} 1',
  'answers_mismatched_total{provider="motor",endpoint="createApplication",field="/holder/afm"} 1',
  'unasked_bytes_total{provider="motor"} 1',
  'answers_unmatched_total{provider="motor",endpoint="createApplication",status="409",media_type="text/html",has_code="true"} 1',
  'answers_unmatched_total{provider="motor",endpoint="createApplication",status="409",media_type="other",has_code="false"} 1',
  'drift_differences_total{provider="motor",endpoint="createApplication",kind="type",breaking="true"} 1',
  'token_fetches_total{provider="motor",result="refused"} 1',
  'rate_limited_total{provider="motor",endpoint="createApplication"} 1',
  'quota_refusals_total{provider="motor",account="north",quota="requests"} 1',
  'tokens_refused_total{reason="expired"} 1',
  'tokens_refused_total{reason="other"} 1',
  'issuer_key_fetches_failed_total{issuer="https://login.example"} 1',
  'issuer_keys_refused_total{issuer="https://login.example",reason="weak"} 1',
  'wide_searchers_total{provider="motor"} 1',
  'reloads_total{result="applied"} 1',
  "administration_guesses_total 1",
  "shed_total 1",
  'requests_total{provider="motor",endpoint="listBrands",status="200",code="",outcome=""} 1',
  'requests_total{provider="motor",endpoint="createApplication",status="504",code="OUTCOME_UNKNOWN",outcome="unknown"} 1',
  'requests_total{provider="motor",endpoint="createApplication",status="499",code="",outcome=""} 1',
  'requests_total{provider="",endpoint="",status="499",code="UNAUTHENTICATED",outcome=""} 1',
  'account_calls_total{provider="motor",account="north",kind="submission",outcome="unknown"} 1',
  'account_calls_total{provider="motor",account="north",kind="submission",outcome=""} 1',
  'callers_gone_total{provider="motor",endpoint="createApplication"} 1',
  'callers_gone_total{provider="",endpoint=""} 1',
  'request_duration_seconds_sum{provider="motor",kind="lookup"} 0.005',
  'request_duration_seconds_count{provider="motor",kind="lookup"} 1',
  'request_duration_seconds_sum{provider="motor",kind="submission"} 60.012',
  'request_duration_seconds_count{provider="motor",kind="submission"} 2',
  'insurer_duration_seconds_sum{provider="motor",kind="submission"} 59.01',
  'insurer_duration_seconds_count{provider="motor",kind="submission"} 2',
  'overhead_seconds_sum{kind="lookup"} 0.0001',
  'overhead_seconds_count{kind="lookup"} 1',
  'overhead_seconds_sum{kind="submission"} 1',
  'overhead_seconds_count{kind="submission"} 2',
  'breaker_state{provider="motor",state="closed"} 0',
  'breaker_state{provider="motor",state="half_open"} 1',
  'breaker_state{provider="motor",state="open"} 0',
  'breaker_state{provider="home",state="closed"} 1',
  'breaker_state{provider="home",state="half_open"} 0',
  'breaker_state{provider="home",state="open"} 0',
  'calls_running{provider="motor"} 3',
  'calls_running{provider="home"} 0',
  'calls_queued{provider="motor"} 2',
  'calls_queued{provider="home"} 0',
  'calls_awaiting_token{provider="motor"} 1',
  'calls_awaiting_token{provider="home"} 0',
  'maintenance{provider="motor"} 0',
  'maintenance{provider="home"} 1',
  "answer_bytes 4096",
  "calls_awaiting_memory 3",
  "usage_unwritten 7",
  "usage_lost 8",
  'token_age{provider="motor"} 1.5',
  'accounts_refused{provider="motor"} 2',
  'accounts_refused{provider="home"} 0',
  'submissions_unknown{provider="motor"} 2',
  'submissions_unknown{provider="home"} 0',
  'store_state{state="open"} 0',
  'store_state{state="unavailable"} 0',
  'store_state{state="files_moved"} 1',
  'store_state{state="restored"} 0',
  "clock_ahead -31",
  "clock_started_behind 7",
  'expires_at{provider="motor",what="certificate"} 2.5',
  'expires_at{provider="",what="certificate"} 4',
  "configuration_newest 0",
  "configuration_applied_at 1.5",
  'build_info{version="1.2.3"} 1',
];
