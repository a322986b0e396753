import type { FetchResult } from "@insurance-gateway/core/auth";
import { problemCodes } from "@insurance-gateway/core/problems";
import type { AttemptResult } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import { counters, gauges, histograms } from "../../src/operator/observation/metric-table.ts";
import { storeStates } from "../../src/store/store.ts";
import {
  alertRules,
  groupingsIn,
  labelsShownIn,
  type Selector,
  selectorsIn,
} from "./alert-rules.ts";
import { headingsOf } from "./document.ts";

/** The labels that Prometheus adds to every series of a job. */
const ADDED_LABELS = ["job", "instance"];

/** Every series that the gateway declares, with the series' labels. */
const declared = new Map<string, readonly string[]>([
  ...[...Object.entries(counters), ...Object.entries(gauges)].map(
    ([name, { labels }]) => [`insurance_gateway_${name}`, labels] as const,
  ),
  ...Object.entries(histograms).flatMap(([name, { labels }]) =>
    ["_bucket", "_sum", "_count"].map(
      (part) =>
        [
          `insurance_gateway_${name}${part}`,
          part === "_bucket" ? [...labels, "le"] : labels,
        ] as const,
    ),
  ),
  // Prometheus adds `up`, which reports whether Prometheus could read the metrics. prom-client declares
  // `process_start_time_seconds`.
  ["up", []],
  ["process_start_time_seconds", []],
]);

const results: Readonly<Record<AttemptResult | FetchResult, true>> = {
  fetched: true,
  refused: true,
  unreachable: true,
  answered: true,
  unusable: true,
  credentials_refused: true,
  failed: true,
  cancelled: true,
};

/** The allowed values of labels with a fixed set of values. */
const values: Readonly<Record<string, readonly string[]>> = {
  result: Object.keys(results),
  by: ["breaker", "bulkhead", "maintenance"],
  state: ["closed", "half_open", "open", ...storeStates],
  outcome: ["not_sent", "rejected", "unknown", "executed"],
  kind: ["lookup", "read", "search", "document", "quote", "submission"],
  code: Object.keys(problemCodes),
  what: ["credentials", "client_certificate", "certificate"],
  job: ["insurance-gateway"],
};

const rules = alertRules();
const headings = headingsOf("docs/alerts.md");

function labelsOf({ metric }: Selector): readonly string[] {
  return [...(declared.get(metric) ?? []), ...ADDED_LABELS];
}

describe("the alert rules", () => {
  it.each(rules)("the alert $alert queries only metrics of the gateway", ({ expr }) => {
    const selectors = selectorsIn(expr);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { metric } of selectors) expect([...declared.keys()]).toContain(metric);
  });

  it.each(rules)(
    "the alert $alert selects metrics only by existing labels and values",
    ({ expr }) => {
      for (const selector of selectorsIn(expr))
        for (const [label, value] of selector.matchers) {
          expect(labelsOf(selector)).toContain(label);
          const known = values[label];
          if (known !== undefined) expect(known).toEqual(expect.arrayContaining(value.split("|")));
        }
    },
  );

  it("the alert for error answers ignores errors that callers without a valid token can cause", () => {
    const ofErrors = rules.filter(({ expr }) => expr.includes('status=~"5.."'));
    expect(ofErrors.map(({ alert }) => alert)).toEqual(["CallersGetErrors"]);
    for (const { expr } of ofErrors)
      expect(expr).toContain('{status=~"5..",code!="AUTHENTICATION_UNAVAILABLE"}');
  });

  it.each(rules)(
    "the alert $alert groups by labels that all its metrics have, and shows only labels that the groups keep",
    ({ annotations, expr }) => {
      const selectors = selectorsIn(expr);
      // A quantile needs the label `le`, and its result does not have this label.
      const groupings = groupingsIn(expr).filter((label) => label !== "le");
      const common = selectors
        .map(labelsOf)
        .reduce((one, other) => one.filter((label) => other.includes(label)));
      expect(common).toEqual(expect.arrayContaining([...groupings]));
      const left = groupings.length > 0 ? groupings : common;
      expect(left).toEqual(expect.arrayContaining([...labelsShownIn(annotations.summary)]));
    },
  );

  it.each(rules)(
    "the alert $alert has a link to the section of docs/alerts.md with the alert's name",
    (rule) => {
      const [document, anchor] = rule.annotations.runbook.split("#");
      expect(document).toBe("docs/alerts.md");
      expect(headings.filter((heading) => heading.anchor === anchor)).toEqual([
        expect.objectContaining({ title: rule.alert }),
      ]);
    },
  );

  it("every section of docs/alerts.md has an alert rule", () => {
    const sections = headings.filter(({ level }) => level === 2).map(({ title }) => title);
    expect(sections.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  });
});
