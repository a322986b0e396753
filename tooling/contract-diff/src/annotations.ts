import type { ChangeKind } from "./contract.ts";
import type { Difference, Effect } from "./finding.ts";
import { areEqual, memberOf, type Node, namesOf } from "./json.ts";

/** Members that forbid no value, with the effect of a change; null for those that follow from others. */
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

/** Whether a member came, went or is another. */
export function changeOf(before: unknown, after: unknown): ChangeKind {
  if (before === undefined) return "added";
  return after === undefined ? "removed" : "changed";
}

/** How a change of a member is put in words. */
const changes: Readonly<Record<ChangeKind, string>> = {
  added: "has a new",
  changed: "has another",
  removed: "no longer has its",
};

/** Reports a member that is another, whatever it says; null for equal ones, whatever they refer to. */
export function differenceOf(
  keyword: string,
  before: Node,
  after: Node,
  effect: Effect,
): Difference | null {
  const values = [memberOf(before, keyword), memberOf(after, keyword)] as const;
  return areEqual(...values) ? null : changeIn(keyword, changeOf(...values), effect);
}

/** Reports the change of a member without its values. */
export function changeIn(keyword: string, change: ChangeKind, effect: Effect): Difference {
  return { keyword, effect, change, predicate: `${changes[change]} \`${keyword}\`` };
}

/**
 * Compares the members of two objects that no rule of their own compares: texts are texts, and what nobody knows is at
 * least worth a notice.
 * @param known - the members that are compared elsewhere
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
 * Compares what schemas say without forbidding a value. The examples of an open list repeat its values.
 * @param changed - the members that differ
 */
export function compareAnnotations(
  before: Node,
  after: Node,
  changed: readonly string[],
): readonly Difference[] {
  const remarks = changed.filter((name) => isAnnotation(name) && !ruled.includes(name));
  if (remarks.length === 0) return [];
  const isOpenList = [before, after].some((node) => Object.hasOwn(node, "x-extensible-enum"));
  const names = isOpenList ? remarks.filter((name) => name !== "examples") : remarks;
  return compareNamed(names, before, after);
}

/** Whether only `compareAnnotations` compares a member of a schema. */
export function isRemark(name: string): boolean {
  return isAnnotation(name) && !ruled.includes(name) && name !== "x-page";
}

/** Whether a member of a schema forbids no value; those with `x-` do not, except some that have rules of their own. */
export function isAnnotation(name: string): boolean {
  return Object.hasOwn(annotations, name) || name.startsWith("x-");
}

/** Members of schemas with `x-` and rules of their own. */
const ruled = ["x-extensible-enum", "x-file", "x-rules"];
