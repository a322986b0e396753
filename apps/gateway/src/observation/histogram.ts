import type { Metric, Registry } from "prom-client";

/** Observes a value. */
export type Observe = (value: number) => void;

/** What a histogram is, as in the table of metrics. */
export interface HistogramParts {
  readonly name: string;
  readonly help: string;
  /** The upper bounds, ascending. */
  readonly buckets: readonly number[];
}

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** How many values each bucket alone has. */
  readonly counts: number[];
  count: number;
  sum: number;
}

/**
 * Makes a histogram of a registry, and returns what begins a series: its user holds on to each. prom-client's own histogram
 * finds the series anew for each value, by a text that it joins of the labels.
 */
export function createHistogram(
  { buckets, help, name }: HistogramParts,
  registry: Registry,
): (labels: Series["labels"]) => Observe {
  const all: Series[] = [];
  const metric = {
    name,
    help,
    type: "histogram",
    aggregator: "sum",
    get: async () => ({
      name,
      help,
      type: "histogram",
      aggregator: "sum",
      values: all.filter(({ count }) => count > 0).flatMap((series) => written(series)),
    }),
    reset: () => void all.splice(0),
  };
  const written = ({ count, counts, labels, sum }: Series): readonly object[] => {
    let below = 0;
    const upTo = buckets.map((bound, place) => {
      below += counts[place] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le: bound, ...labels }, value: below };
    });
    return [
      ...upTo,
      { metricName: `${name}_bucket`, labels: { le: "+Inf", ...labels }, value: count },
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  };
  // A registry uses these members of a metric and no others.
  registry.registerMetric(metric as unknown as Metric);
  return (labels) => {
    const series: Series = { labels, counts: buckets.map(() => 0), count: 0, sum: 0 };
    all.push(series);
    return (value) => {
      let place = 0;
      for (const bound of buckets) {
        if (value <= bound) break;
        place += 1;
      }
      if (place < buckets.length) series.counts[place] = (series.counts[place] ?? 0) + 1;
      series.count += 1;
      series.sum += value;
    };
  };
}
