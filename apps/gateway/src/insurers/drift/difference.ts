import type { Difference, DifferenceKind } from "../../events.ts";

/** The path to a value inside another value: names of fields, and `*` for any item or key. */
export type ValuePath = readonly string[];

/** A list of differences that contains each difference only once. */
export type Differences = ReturnType<typeof collectDifferences>;

/** Stands in a path for every item of a list and every key of a map. */
export const ANY_NAME = "*";

/** Maximum number of reported differences of one answer: further differences would show nothing new. */
const MAX_DIFFERENCES = 50;

/** Creates an empty list of differences. */
export function collectDifferences() {
  const found = new Map<string, Difference>();
  return {
    add(place: ValuePath, kind: DifferenceKind, breaking: boolean): void {
      const pointer = place.map((name) => `/${name}`).join("");
      const key = `${kind} ${breaking} ${pointer}`;
      if (found.size < MAX_DIFFERENCES) found.set(key, { pointer, kind, breaking });
    },
    list: (): readonly Difference[] => [...found.values()],
  };
}

/**
 * Returns the name of a field for the report. An insurer can use a customer's name or number as a field name, so only a
 * name of at most 40 ASCII letters and underscores is shown; otherwise the result is `*`.
 */
export function shownName(name: string): string {
  return /^[A-Za-z][A-Za-z_]{0,39}$/.test(name) ? name : ANY_NAME;
}

/** Reports whether a value is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
