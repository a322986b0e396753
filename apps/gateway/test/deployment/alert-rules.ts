import * as z from "zod";
import { documentsOf } from "./repository.ts";

/** An alert of the rules that ship with the gateway. */
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

/** Every alert of deploy/prometheus/alerts.yaml. */
export function alertRules(): readonly AlertRule[] {
  const [document] = documentsOf("deploy/prometheus/alerts.yaml");
  return rules.parse(document).groups.flatMap((group) => group.rules);
}

/** A series that an expression asks for: its metric, and the labels and values that it chooses by. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly (readonly [label: string, value: string])[];
}

/** The words of PromQL in the rules, besides metrics. */
const WORDS = [
  "sum by min max count and or unless offset",
  "rate increase changes absent histogram_quantile time",
].flatMap((line) => line.split(" "));

/** The series that an expression asks for. */
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

/** The labels that an expression groups by. */
export function groupingsIn(expression: string): readonly string[] {
  return [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = ""]) =>
    labels.split(",").map((label) => label.trim()),
  );
}

/** The labels that a text of an alert shows. */
export function labelsShownIn(text: string): readonly string[] {
  return [...text.matchAll(/\$labels\.(\w+)/g)].map(([, label = ""]) => label);
}
