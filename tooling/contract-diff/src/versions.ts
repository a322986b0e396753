import { compareResolved } from "./compare-resolved.ts";
import type { Comparison } from "./comparison.ts";
import { type Effect, type Finding, unknownLocation } from "./finding.ts";
import type { Node } from "./json.ts";
import { createSameness, type Sameness } from "./sameness.ts";
import { resolve, type Schemas, type VersionedSchema } from "./side.ts";

/** Data that all comparisons of the same two versions share. */
export interface Versions {
  readonly before: Schemas;
  readonly after: Schemas;
  readonly areSame: Sameness;
  readonly contains: Comparison["contains"];
}

/** Prepares the comparison of two versions of a contract. */
export function versionsOf(before: Node, after: Node): Versions {
  const areSame = createSameness(before, after);
  return {
    before: { version: "before", byName: before },
    after: { version: "after", byName: after },
    areSame,
    contains: createContainment(areSame),
  };
}

/**
 * Creates the comparison of one part of an operation. The comparison reports each pair of named schemas only at the
 * pair's first place, so that recursive types do not loop.
 */
export function createReport({ areSame, contains }: Versions): Comparison {
  const visited = new Set<string>();
  const report: Comparison = {
    areSame,
    contains,
    compare(before, after, at) {
      if (areSame(before.schema, after.schema)) return [];
      const [old, current] = [resolve(before), resolve(after)];
      if (old.isReferred || current.isReferred) {
        const pair = nameOf(before, after);
        if (visited.has(pair)) return [];
        visited.add(pair);
      }
      return compareResolved(old, current, at, report);
    },
  };
  return report;
}

/**
 * Creates a function that reports whether a schema allows all values of another schema.
 * For a recursive type, the answer "yes" is assumed while its fields are compared. If the assumption proves wrong,
 * conclusions from it are compared again without it. Every round except the last finds a wrong assumption, so the
 * rounds end. The conclusions of a round without a wrong assumption are proven and kept.
 */
function createContainment(areSame: Sameness): Comparison["contains"] {
  const refuted = new Set<string>();
  // Assumptions in the order of their rounds, after the proven conclusions.
  const assumed = new Set<string>();
  const trial = createTrial({ areSame, assumed, refuted });
  return (outer, inner) => {
    for (;;) {
      const [assumedBefore, refutedBefore] = [assumed.size, refuted.size];
      const isContained = trial.contains(outer, inner);
      if (refuted.size === refutedBefore) return isContained;
      for (const pair of [...assumed].slice(assumedBefore)) assumed.delete(pair);
    }
  };
}

interface Knowledge {
  readonly assumed: Set<string>;
  readonly refuted: Set<string>;
  readonly areSame: Sameness;
}

function createTrial({ areSame, assumed, refuted }: Knowledge): Comparison {
  const trial: Comparison = {
    areSame,
    contains: (outer, inner) => !trial.compare(inner, outer, unknownLocation).some(takesAway),
    compare(before, after, at) {
      if (areSame(before.schema, after.schema)) return [];
      const [old, current] = [resolve(before), resolve(after)];
      if (!old.isReferred && !current.isReferred) return compareResolved(old, current, at, trial);
      const pair = nameOf(before, after);
      if (refuted.has(pair)) return [refutation];
      if (assumed.has(pair)) return [];
      assumed.add(pair);
      const findings = compareResolved(old, current, at, trial);
      if (findings.some(takesAway)) refuted.add(pair);
      return findings;
    },
  };
  return trial;
}

const refutation: Finding = {
  change: "changed",
  effect: "narrower",
  predicate: "",
  at: unknownLocation,
};

function takesAway({ effect }: { readonly effect: Effect }): boolean {
  return effect === "narrower" || effect === "other";
}

/** Returns a name for a pair of schemas of which at least one is a reference. */
function nameOf(before: VersionedSchema, after: VersionedSchema): string {
  return JSON.stringify([before, after].map(({ schema, schemas }) => [schemas.version, schema]));
}
