import type { ChangeKind, ChangeLevel } from "./contract.ts";
import type { Node } from "./json.ts";

/** Which way a value travels: to the insurer, or back. */
export type Direction = "request" | "answer";

/**
 * The effect of a difference on the values that a part of the contract allows. `wider`: more values; `narrower`: fewer;
 * `other`: some that were not allowed and not all that were, or nobody can prove which; `notice`: the same values with
 * another meaning; `text`: the same values in other words.
 */
export type Effect = "wider" | "narrower" | "other" | "notice" | "text";

/** A difference of one keyword, without its place. */
export interface Difference {
  readonly keyword: string;
  readonly effect: Effect;
  readonly change: ChangeKind;
  /** The sentence that reports it, without its subject: `must now be a number`. */
  readonly predicate: string;
}

/** Compares two schemas, as far as they differ in the keywords. */
export interface Rule {
  readonly keywords: readonly string[];
  readonly compare: (before: Node, after: Node) => readonly Difference[];
}

/** Where in an operation a comparison is. */
export interface Location {
  readonly direction: Direction;
  /** The part of the operation as the subject of a sentence: `the request body`. */
  readonly part: string;
  /** The JSON Pointer of the field in that part; `*` is any item of a list. "" is the whole part. */
  readonly field: string;
  /** The JSON Pointer in the operation. */
  readonly pointer: string;
}

/** A difference at its place. */
export interface Finding extends Omit<Difference, "keyword"> {
  readonly at: Location;
}

/** Puts a difference of a keyword in its place. */
export function locate({ keyword, ...difference }: Difference, at: Location): Finding {
  return findingAt(difference, step(at, [keyword]));
}

/** Adds findings to a list. As arguments of one `push`, 130,000 of them overflow the stack. */
export function append(findings: Finding[], further: readonly Finding[]): void {
  for (const found of further) findings.push(found);
}

/** Reports a difference of the place itself. */
export function findingAt(
  { change, effect, predicate }: Omit<Difference, "keyword">,
  at: Location,
): Finding {
  return { change, effect, predicate, at };
}

/** The location of a comparison whose findings are not reported. Its parts have no names, which saves building them. */
export const nowhere: Location = { direction: "request", part: "", field: "", pointer: "" };

/** Goes to a part of the place; `field` is the part's name where it is a field or an item. */
export function step(at: Location, names: readonly string[], field?: string): Location {
  if (at === nowhere) return nowhere;
  const { direction, part } = at;
  let { pointer } = at;
  for (const name of names) pointer += segment(name);
  return {
    direction,
    part,
    pointer,
    field: field === undefined ? at.field : at.field + segment(field),
  };
}

/** The sentence that reports a finding. */
export function textOf({ at: { field, part }, predicate }: Finding): string {
  const subject = field === "" ? part : `the field \`${field}\` of ${part}`;
  return `${subject.slice(0, 1).toUpperCase()}${subject.slice(1)} ${predicate}.`;
}

/** One segment of a JSON Pointer (RFC 6901). */
export function segment(name: string): string {
  // Almost no name has one of the two, and the check is faster than two replacements.
  const isPlain = !name.includes("~") && !name.includes("/");
  return `/${isPlain ? name : name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/**
 * The level of an effect. A request must still be accepted, so it may become wider; an answer must still be one that
 * callers expect, so it may become narrower.
 */
export function levelOf({ at, effect }: Pick<Finding, "at" | "effect">): ChangeLevel {
  if (effect === "text") return "patch";
  if (effect === "notice") return "minor";
  return effect === (at.direction === "request" ? "wider" : "narrower") ? "minor" : "major";
}

/** The effect of a difference that can take values away and add others; null for neither. */
export function effectOf(isNarrower: boolean, isWider: boolean): Effect | null {
  if (isNarrower) return isWider ? "other" : "narrower";
  return isWider ? "wider" : null;
}
