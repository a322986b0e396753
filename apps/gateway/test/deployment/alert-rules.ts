import * as z from "zod";
import { documentsOf } from "./repository.ts";

/** An alert rule that ships with the gateway. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: {
    readonly summary: string;
    readonly action: string;
    readonly runbook: string;
  };
}

const rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(["critical", "warning", "info"]) }),
          annotations: z.strictObject({
            summary: z.string(),
            action: z.string(),
            runbook: z.string(),
          }),
        }),
      ),
    }),
  ),
});

/** Returns every alert of deploy/prometheus/alerts.yaml. */
export function alertRules(): readonly AlertRule[] {
  const [document] = documentsOf("deploy/prometheus/alerts.yaml");
  return rules.parse(document).groups.flatMap((group) => group.rules);
}

/** A metric in an expression, and the labels and values that select its series. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly (readonly [label: string, value: string])[];
}

/** The words of PromQL in the rules, besides metrics. */
const WORDS = [
  "sum by min max count and or unless offset",
  "rate increase changes absent histogram_quantile time",
].flatMap((line) => line.split(" "));

/** Returns the series that an expression selects. */
export function selectorsIn(expression: string): readonly Selector[] {
  const withoutGrouping = expression.replaceAll(/\bby \([^)]*\)/g, "");
  const found = withoutGrouping.matchAll(/([a-z_][a-z0-9_]*)(?:\{([^}]*)\})?(?:\[\w+\])?/g);
  return [...found]
    .filter(([, name = ""], index, all) => {
      const before = withoutGrouping[(all[index]?.index ?? 0) - 1] ?? " ";
      return !WORDS.includes(name) && !/[\d.]/.test(before);
    })
    .map(([, metric = "", inBraces = ""]) => ({
      metric,
      matchers: [...inBraces.matchAll(/(\w+)(?:=~|!=|!~|=)"([^"]*)"/g)].map(
        ([, label = "", value = ""]) => [label, value] as const,
      ),
    }));
}

/** Returns the labels by which an expression groups. */
export function groupingsIn(expression: string): readonly string[] {
  return [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = ""]) =>
    labels.split(",").map((label) => label.trim()),
  );
}

/** Returns the labels that appear in the text of an alert. */
export function labelsShownIn(text: string): readonly string[] {
  return [...text.matchAll(/\$labels\.(\w+)/g)].map(([, label = ""]) => label);
}
