import type { ChangeKind } from "./contract.ts";
import type { Difference, Effect } from "./finding.ts";
import { areEqual, memberOf, type Node, namesOf } from "./json.ts";

/** Members of a schema that forbid no value, with the effect of a change; null for members that follow from others. */
export const annotations: Readonly<Record<string, Exclude<Effect, "wider" | "narrower"> | null>> = {
  summary: "text",
  title: "text",
  description: "text",
  example: "text",
  examples: "text",
  $comment: "text",
  default: "notice",
  deprecated: "notice",
  readOnly: "notice",
  writeOnly: "notice",
  discriminator: "notice",
  "x-page": "notice",
  "x-labels": "text",
  "x-direction": null,
  $schema: null,
  $id: null,
};

/** Returns the kind of change of a member: added, removed or changed. */
export function changeOf(before: unknown, after: unknown): ChangeKind {
  if (before === undefined) return "added";
  return after === undefined ? "removed" : "changed";
}

/** The verbs that describe a change of a member. */
const changeVerbs: Readonly<Record<ChangeKind, string>> = {
  added: "has a new",
  changed: "has another",
  removed: "no longer has its",
};

/**
 * Returns the difference between two values of a member, without interpreting the values; null for equal values, even
 * if the values refer to changed schemas.
 */
export function differenceOf(
  keyword: string,
  before: Node,
  after: Node,
  effect: Effect,
): Difference | null {
  const values = [memberOf(before, keyword), memberOf(after, keyword)] as const;
  return areEqual(...values) ? null : memberChange(keyword, changeOf(...values), effect);
}

/** Creates the difference that reports the change of a member without the member's values. */
export function memberChange(keyword: string, change: ChangeKind, effect: Effect): Difference {
  return { keyword, effect, change, predicate: `${changeVerbs[change]} \`${keyword}\`` };
}

/**
 * Compares the members of two objects that have no separate rule. A change of a text is a `patch`, and a change of an
 * unknown member is at least a `minor`.
 * @param known - the members that other functions compare
 */
export function compareMembers(
  before: Node,
  after: Node,
  known: readonly string[] = [],
): readonly Difference[] {
  const names = namesOf(before, after).filter((name) => !known.includes(name));
  return compareNamed(names, before, after);
}

function compareNamed(names: readonly string[], before: Node, after: Node): readonly Difference[] {
  return names.flatMap((name) => {
    const effect = Object.hasOwn(annotations, name) ? annotations[name] : "notice";
    return effect == null ? [] : (differenceOf(name, before, after, effect) ?? []);
  });
}

/**
 * Compares the members of schemas that forbid no value. The examples of an open list are skipped, because the examples
 * repeat the list's values.
 * @param changed - the members that differ
 */
export function compareAnnotations(
  before: Node,
  after: Node,
  changed: readonly string[],
): readonly Difference[] {
  const remarks = changed.filter((name) => isAnnotation(name) && !keywordsWithRules.includes(name));
  if (remarks.length === 0) return [];
  const isOpenList = [before, after].some((node) => Object.hasOwn(node, "x-extensible-enum"));
  const names = isOpenList ? remarks.filter((name) => name !== "examples") : remarks;
  return compareNamed(names, before, after);
}

/** Reports whether a member of a schema is compared only by `compareAnnotations`. */
export function isPlainAnnotation(name: string): boolean {
  return isAnnotation(name) && !keywordsWithRules.includes(name) && name !== "x-page";
}

/**
 * Reports whether a member of a schema forbids no value. Most `x-` members forbid no value; `keywordsWithRules` lists
 * the exceptions.
 */
export function isAnnotation(name: string): boolean {
  return Object.hasOwn(annotations, name) || name.startsWith("x-");
}

/** The `x-` members of schemas for which separate comparison rules exist. */
const keywordsWithRules = ["x-extensible-enum", "x-file", "x-rules"];
