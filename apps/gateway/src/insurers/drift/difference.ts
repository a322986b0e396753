import type { Difference, DifferenceKind } from "../../events.ts";

/** The steps of a pointer from the whole value: names of fields, and `*`. */
export type Place = readonly string[];

/** Collects differences; the same one is kept once. */
export type Differences = ReturnType<typeof collectDifferences>;

/** Replaces every item of a list and every key of a map. */
export const ANY = "*";

/** How many differences of one answer are reported at most; more add nothing new. */
const MOST_DIFFERENCES = 50;

/** Begins to collect. */
export function collectDifferences() {
  const found = new Map<string, Difference>();
  return {
    add(place: Place, kind: DifferenceKind, breaking: boolean): void {
      const pointer = place.map((name) => `/${name}`).join("");
      const key = `${kind} ${breaking} ${pointer}`;
      if (found.size < MOST_DIFFERENCES) found.set(key, { pointer, kind, breaking });
    },
    list: (): readonly Difference[] => [...found.values()],
  };
}

/**
 * The name of a field as it may be reported. An insurer can use a customer's name or number as a name, so that only an
 * identifier of at most 40 ASCII letters and underscores is repeated.
 */
export function safeName(name: string): string {
  return /^[A-Za-z][A-Za-z_]{0,39}$/.test(name) ? name : ANY;
}

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
