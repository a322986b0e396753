import { problemCodes } from "@insurance-gateway/core/problems";
import { Counter, type Registry } from "prom-client";
import { createHistogram, type Observe } from "./histogram.ts";
import { counters, type HistogramName, histograms, named } from "./metric-table.ts";
import type { Observation, ObservedRequest } from "./observation.ts";

/** Requests that differ in no label. */
interface Series {
  readonly requests: Readonly<Record<string, string | number>>;
  /** Null where no connection was used. */
  readonly connectionCalls: Readonly<Record<string, string>> | null;
  /** Null for a request of no endpoint. */
  readonly times: Times | null;
  /** How many there were since each counter was read. */
  uncounted: { requests: number; connectionCalls: number };
}

/** What observes the times of the requests of one endpoint. */
interface Times {
  readonly duration: Observe;
  readonly insurer: Observe;
  readonly overhead: Observe;
}

/**
 * Counts and times requests. The series of a request is found once, by one text, and its counters get their sums when
 * they are read: with prom-client finding each of the four by its labels, that took 4 % of a lookup from memory.
 * @param labelOf - gives a connection its label
 */
export function countRequests(
  registry: Registry,
  labelOf: (connection: string) => string,
): Observation["requestEnded"] {
  const known = new Map<string, Series>();
  const timesOf = createTimes(registry);
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
      times: endpoint && timesOf(endpoint.segment, endpoint.kind),
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
    if (series.times === null) return;
    series.times.duration(durationMs / 1_000);
    series.times.overhead(Math.max(0, ownMs) / 1_000);
    if (insurerMs > 0) series.times.insurer(insurerMs / 1_000);
  };
}

/** Makes the histograms, and what gives those of one endpoint. */
function createTimes(registry: Registry): (provider: string, kind: string) => Times {
  const histogram = (
    name: HistogramName,
  ): ((labels: Readonly<Record<string, string>>) => Observe) => {
    const { buckets, ...facts } = histograms[name];
    const begin = createHistogram({ ...named(name, facts), buckets }, registry);
    const begun = new Map<string, Observe>();
    return (labels) => {
      const key = Object.values(labels).join(" ");
      const observe = begun.get(key) ?? begin(labels);
      begun.set(key, observe);
      return observe;
    };
  };
  const duration = histogram("request_duration_seconds");
  const insurer = histogram("insurer_duration_seconds");
  const overhead = histogram("overhead_seconds");
  return (provider, kind) => ({
    duration: duration({ provider, kind }),
    insurer: insurer({ provider, kind }),
    overhead: overhead({ kind }),
  });
}

function knownCode(code: string | null): string {
  if (code === null) return "";
  return Object.hasOwn(problemCodes, code) ? code : "other";
}
