import { problemCodes } from "@insurance-gateway/core/problems";
import { Counter, Histogram, type Registry } from "prom-client";
import type { ObservedRequest } from "../../events.ts";
import { counters, histograms, metricOptions } from "./metric-table.ts";

type Labels = Readonly<Record<string, string | number>>;

/** The number of requests with the same labels. */
interface RequestSeries {
  readonly requests: Labels;
  /** The labels for `account_calls_total`; null if the requests used no account. */
  readonly accountCalls: Labels | null;
  total: number;
}

/**
 * Returns a function that counts a request and measures its duration. The counters with many labels get their values
 * only at a scrape: prom-client's search for labels in each request would take 4 % of the time of a cached lookup.
 * @param labelOf - returns the label of an account
 */
export function countRequests(
  registry: Registry,
  labelOf: (account: string) => string,
): (request: ObservedRequest) => void {
  const known = new Map<string, RequestSeries>();
  const total = (
    name: keyof typeof counters,
    labelsOf: (series: RequestSeries) => Labels | null,
  ): void => {
    const counter = new Counter({
      ...metricOptions(name, counters[name]),
      registers: [],
      collect() {
        this.reset();
        for (const series of known.values()) {
          const labels = labelsOf(series);
          if (labels !== null) this.inc(labels, series.total);
        }
      },
    });
    registry.registerMetric(counter);
  };
  const histogram = (name: keyof typeof histograms): Histogram => {
    const { buckets, ...facts } = histograms[name];
    return new Histogram({
      ...metricOptions(name, facts),
      buckets: [...buckets],
      registers: [registry],
    });
  };
  total("requests_total", ({ requests }) => requests);
  total("account_calls_total", ({ accountCalls }) => accountCalls);
  const gone = new Counter({
    ...metricOptions("callers_gone_total", counters.callers_gone_total),
    registers: [registry],
  });
  const durations = histogram("request_duration_seconds");
  const insurers = histogram("insurer_duration_seconds");
  const overhead = histogram("overhead_seconds");

  return (request) => {
    const { callerGone, durationMs, insurerMs, ownMs } = request;
    const { endpoint = "", kind = "", segment: provider = "" } = request.endpoint ?? {};
    const outcome = request.outcome ?? "";
    const code = codeLabel(request.code);
    // nginx introduced the status 499 for a request whose caller did not receive the answer.
    const status = callerGone ? 499 : request.status;
    const account = request.account === null ? null : labelOf(request.account);
    const key = `${provider} ${endpoint} ${kind} ${status} ${code} ${outcome} ${account ?? ""}`;
    const series = known.get(key) ?? {
      requests: { provider, endpoint, status, code, outcome },
      accountCalls: account === null ? null : { provider, account, kind, outcome },
      total: 0,
    };
    series.total += 1;
    known.set(key, series);
    if (callerGone) gone.inc({ provider, endpoint });
    if (request.endpoint === null) return;
    durations.observe({ provider, kind }, durationMs / 1_000);
    overhead.observe({ kind }, Math.max(0, ownMs) / 1_000);
    if (insurerMs > 0) insurers.observe({ provider, kind }, insurerMs / 1_000);
  };
}

/** Returns the label for a problem's code: the gateway's own codes, and `other` for all others. */
function codeLabel(code: string | null): string {
  if (code === null) return "";
  return Object.hasOwn(problemCodes, code) ? code : "other";
}
