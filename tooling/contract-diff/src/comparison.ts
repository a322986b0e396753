import type { Finding, Location } from "./finding.ts";
import type { Sameness } from "./sameness.ts";
import type { Side } from "./side.ts";

/** Compares schemas of two versions of a contract with everything inside them. */
export interface Comparison {
  readonly areSame: Sameness;
  readonly compare: (before: Side, after: Side, at: Location) => readonly Finding[];
  /** Whether one schema provably allows every value that another one allows. */
  readonly contains: (outer: Side, inner: Side) => boolean;
}
