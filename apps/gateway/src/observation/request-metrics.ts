import { problemCodes } from "@insurance-gateway/core/problems";
import { Counter, Histogram, type Registry } from "prom-client";
import { counters, type HistogramName, histograms, named } from "./metric-table.ts";
import type { Observation, ObservedRequest } from "./observation.ts";

/** Requests that differ in no label. */
interface Series {
  readonly requests: Readonly<Record<string, string | number>>;
  /** Null where no connection was used. */
  readonly connectionCalls: Readonly<Record<string, string>> | null;
  /** How many there were since each counter was read. */
  uncounted: { requests: number; connectionCalls: number };
}

/**
 * Counts and times requests. The series of a request is found once, by one text, and its counters get their sums when
 * they are read: with prom-client finding each by its labels, that takes more.
 * @param labelOf - gives a connection its label
 */
export function countRequests(
  registry: Registry,
  labelOf: (connection: string) => string,
): Observation["requestEnded"] {
  const known = new Map<string, Series>();
  const durations = histogram("request_duration_seconds", registry);
  const insurers = histogram("insurer_duration_seconds", registry);
  const overhead = histogram("overhead_seconds", registry);
  const gone = new Counter({
    ...named("callers_gone_total", counters.callers_gone_total),
    registers: [registry],
  });
  for (const [name, labels] of [
    ["requests_total", "requests"],
    ["connection_calls_total", "connectionCalls"],
  ] as const)
    registry.registerMetric(
      new Counter({
        ...named(name, counters[name]),
        registers: [],
        collect() {
          for (const series of known.values()) {
            const uncounted = series.uncounted[labels];
            if (uncounted > 0) this.inc({ ...series[labels] }, uncounted);
            series.uncounted[labels] = 0;
          }
        },
      }),
    );

  function begin(
    request: Pick<ObservedRequest, "endpoint" | "outcome">,
    status: number,
    code: string,
    connection: string | null,
  ): Series {
    const { endpoint } = request;
    const [provider, name] = [endpoint?.segment ?? "", endpoint?.endpoint ?? ""];
    const [kind, outcome] = [endpoint?.kind ?? "", request.outcome ?? ""];
    return {
      requests: { provider, endpoint: name, status, code, outcome },
      connectionCalls: connection === null ? null : { provider, connection, kind, outcome },
      uncounted: { requests: 0, connectionCalls: 0 },
    };
  }

  return (request) => {
    const { callerGone, durationMs, endpoint, insurerMs, outcome, ownMs } = request;
    // Nobody got what was written; nginx has made 499 the usual number for it.
    const status = callerGone ? 499 : request.status;
    const code = knownCode(request.code);
    const connection = request.connection === null ? null : labelOf(request.connection);
    const key = `${endpoint?.segment} ${endpoint?.endpoint} ${status} ${code} ${outcome} ${connection}`;
    let series = known.get(key);
    if (series === undefined) {
      series = begin(request, status, code, connection);
      known.set(key, series);
    }
    series.uncounted.requests += 1;
    if (connection !== null) series.uncounted.connectionCalls += 1;
    if (callerGone)
      gone.inc({ provider: endpoint?.segment ?? "", endpoint: endpoint?.endpoint ?? "" });
    if (endpoint === null) return;
    const { kind, segment } = endpoint;
    durations.observe({ provider: segment, kind }, durationMs / 1_000);
    overhead.observe({ kind }, Math.max(0, ownMs) / 1_000);
    if (insurerMs > 0) insurers.observe({ provider: segment, kind }, insurerMs / 1_000);
  };
}

/** Makes a histogram of the table. */
function histogram(name: HistogramName, registry: Registry): Histogram {
  const { buckets, ...facts } = histograms[name];
  return new Histogram({ ...named(name, facts), buckets: [...buckets], registers: [registry] });
}

function knownCode(code: string | null): string {
  if (code === null) return "";
  return Object.hasOwn(problemCodes, code) ? code : "other";
}
