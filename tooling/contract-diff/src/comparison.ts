import { compareResolved } from "./compare-resolved.ts";
import type { Effect, Finding, Location } from "./finding.ts";
import { memberOf, type Node } from "./json.ts";
import { referenceOf, resolve, type Schemas, type Side } from "./side.ts";

/** Compares schemas of two versions of a contract with everything inside them. */
export interface Comparison {
  readonly compare: (before: Side, after: Side, at: Location) => readonly Finding[];
  /** Whether one schema provably allows every value that another one allows. */
  readonly contains: (outer: Side, inner: Side) => boolean;
}

/** What all comparisons of the same two versions know. */
export interface Versions {
  readonly before: Schemas;
  readonly after: Schemas;
  /** The named schemas that are equal in both versions, with everything that they refer to. */
  readonly unchanged: ReadonlySet<string>;
  readonly contains: Comparison["contains"];
}

/** Prepares the comparison of two versions of a contract. */
export function versionsOf(before: Node, after: Node): Versions {
  const unchanged = unchangedNames(before, after);
  return {
    before: { version: "before", byName: before },
    after: { version: "after", byName: after },
    unchanged,
    contains: createContainment(unchanged),
  };
}

/**
 * Makes the comparison of one part of an operation. It reports each pair of named schemas once, where it meets them
 * first, so that types which contain themselves come to an end.
 */
export function createReport({ contains, unchanged }: Versions): Comparison {
  const visited = new Set<string>();
  const report: Comparison = {
    contains,
    compare(before, after, at) {
      if (isUnchanged(before, after, unchanged)) return [];
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
 * Makes the question whether a schema allows all that another one allows.
 *
 * A type that contains itself is assumed to do so while its fields are compared. If that turns out to be wrong, what was
 * concluded from it is compared again without the assumption. So many rounds as there are wrong assumptions are enough,
 * and every answer is remembered.
 */
function createContainment(unchanged: ReadonlySet<string>): Comparison["contains"] {
  const refuted = new Set<string>();
  const proven = new Set<string>();
  return (outer, inner) => {
    for (;;) {
      const refutedBefore = refuted.size;
      const assumed = new Set(proven);
      const trial = createTrial({ assumed, refuted, unchanged });
      const isContained = trial.contains(outer, inner);
      if (refuted.size !== refutedBefore) continue;
      for (const pair of assumed) if (!refuted.has(pair)) proven.add(pair);
      return isContained;
    }
  };
}

interface Knowledge {
  readonly assumed: Set<string>;
  readonly refuted: Set<string>;
  readonly unchanged: ReadonlySet<string>;
}

function createTrial({ assumed, refuted, unchanged }: Knowledge): Comparison {
  const trial: Comparison = {
    contains: (outer, inner) => !trial.compare(inner, outer, nowhere).some(takesAway),
    compare(before, after, at) {
      if (isUnchanged(before, after, unchanged)) return [];
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

/** A trial reports nothing, so its findings need no place. */
const nowhere: Location = { direction: "request", part: "", field: "", pointer: "" };
const refutation: Finding = {
  pointer: "",
  change: "changed",
  effect: "narrower",
  direction: "request",
  text: "",
};

function takesAway({ effect }: { readonly effect: Effect }): boolean {
  return effect === "narrower" || effect === "other";
}

/** Names two schemas of which at least one is a reference. */
function nameOf(before: Side, after: Side): string {
  return JSON.stringify([before, after].map(({ schema, schemas }) => [schemas.version, schema]));
}

function isUnchanged(before: Side, after: Side, unchanged: ReadonlySet<string>): boolean {
  const name = referenceOf(before.schema);
  return name !== null && unchanged.has(name) && areSame(before.schema, after.schema, unchanged);
}

/** Whether two parts of the versions are the same text, and so is all that they refer to. */
export function areSame(before: unknown, after: unknown, unchanged: ReadonlySet<string>): boolean {
  const text = JSON.stringify(after);
  return JSON.stringify(before) === text && namesIn(text).every((name) => unchanged.has(name));
}

/** Finds the named schemas that are the same text, without those that refer to others which are not. */
function unchangedNames(before: Node, after: Node): ReadonlySet<string> {
  const unchanged = new Set<string>();
  const users = new Map<string, string[]>();
  for (const name of Object.keys(after)) {
    const text = JSON.stringify(after[name]);
    if (JSON.stringify(memberOf(before, name)) !== text) continue;
    unchanged.add(name);
    for (const used of namesIn(text)) users.set(used, [...(users.get(used) ?? []), name]);
  }
  const suspects = [...users.keys()].filter((name) => !unchanged.has(name));
  for (let suspect = suspects.pop(); suspect !== undefined; suspect = suspects.pop())
    for (const user of users.get(suspect) ?? []) if (unchanged.delete(user)) suspects.push(user);
  return unchanged;
}

/** The names that a JSON text refers to. One in an example is found, too, which costs only time. */
function namesIn(text: string): readonly string[] {
  const found = text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]*)"/g);
  return [...new Set(Array.from(found, ([, name = ""]) => name))];
}
