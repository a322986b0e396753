import type { ChangeKind, ChangeLevel } from "./contract.ts";
import type { Node } from "./json.ts";

/** The direction of a value: to the insurer, or back. */
export type Direction = "request" | "answer";

/**
 * The effect of a difference on the values that a part of the contract allows. `wider`: more values; `narrower`: fewer
 * values; `other`: some new and some missing values, or a difference that cannot be proven to be wider or narrower;
 * `notice`: the same values with another meaning; `text`: the same values in other words.
 */
export type Effect = "wider" | "narrower" | "other" | "notice" | "text";

/** A difference of one keyword, without its place. */
export interface Difference {
  readonly keyword: string;
  readonly effect: Effect;
  readonly change: ChangeKind;
  /** The sentence that reports the difference, without its subject: `must now be a number`. */
  readonly predicate: string;
}

/** A rule that compares two schemas by some keywords. */
export interface Rule {
  readonly keywords: readonly string[];
  readonly compare: (before: Node, after: Node) => readonly Difference[];
}

/** The place of a comparison in an operation. */
export interface Location {
  readonly direction: Direction;
  /** The part of the operation as the subject of a sentence: `the request body`. */
  readonly part: string;
  /** The JSON Pointer of the field in that part, with `*` for any item of a list; "" for the whole part. */
  readonly field: string;
  /** The JSON Pointer in the operation. */
  readonly pointer: string;
}

/** A difference with its place. */
export interface Finding extends Omit<Difference, "keyword"> {
  readonly at: Location;
}

/** Creates a finding from the difference of a keyword and the place of the schema. */
export function locate({ keyword, ...difference }: Difference, at: Location): Finding {
  return findingAt(difference, partLocation(at, [keyword]));
}

/** Adds findings to a list one by one: 130,000 arguments of one `push` would overflow the stack. */
export function appendFindings(findings: Finding[], further: readonly Finding[]): void {
  for (const found of further) findings.push(found);
}

/** Creates a finding for a difference that concerns a whole part of an operation, not one keyword of a schema. */
export function findingAt(
  { change, effect, predicate }: Omit<Difference, "keyword">,
  at: Location,
): Finding {
  return { change, effect, predicate, at };
}

/**
 * A location for comparisons whose findings are discarded. The parts of this location have no names, which saves the
 * time for building names.
 */
export const unknownLocation: Location = { direction: "request", part: "", field: "", pointer: "" };

/** Returns the location of a part of a place; `field` is the part's name if the part is a field or an item. */
export function partLocation(at: Location, names: readonly string[], field?: string): Location {
  if (at === unknownLocation) return unknownLocation;
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

/** Returns the sentence that reports a finding. */
export function textOf({ at: { field, part }, predicate }: Finding): string {
  const subject = field === "" ? part : `the field \`${field}\` of ${part}`;
  return `${subject.slice(0, 1).toUpperCase()}${subject.slice(1)} ${predicate}.`;
}

/** Returns a segment of a JSON Pointer (RFC 6901). */
export function segment(name: string): string {
  // Few names contain `~` or `/`, and this check is faster than two replacements.
  const isPlain = !name.includes("~") && !name.includes("/");
  return `/${isPlain ? name : name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/**
 * Returns the level of an effect. Requests may become wider, because old requests must remain valid. Answers may become
 * narrower, because callers must be able to read every answer.
 */
export function levelOf({ at, effect }: Pick<Finding, "at" | "effect">): ChangeLevel {
  if (effect === "text") return "patch";
  if (effect === "notice") return "minor";
  return effect === (at.direction === "request" ? "wider" : "narrower") ? "minor" : "major";
}

/** Returns the effect of a difference that can remove and add values; null if the difference does neither. */
export function effectOf(isNarrower: boolean, isWider: boolean): Effect | null {
  if (isNarrower) return isWider ? "other" : "narrower";
  return isWider ? "wider" : null;
}
