import { type AlternativePairs, inWords, isDisjoint, pairAlternatives } from "./alternatives.ts";
import { annotations, changeOf, differenceOf } from "./annotations.ts";
import type { Comparison } from "./comparison.ts";
import {
  effectOf,
  type Finding,
  findingAt,
  type Location,
  locate,
  partLocation,
} from "./finding.ts";
import { listOf, type Node, nodeOf } from "./json.ts";
import { type Resolved, resolve, type VersionedSchema } from "./side.ts";

/** The keywords that list alternatives for a value. */
export const unionKeywords: ReadonlySet<UnionKeyword> = new Set(["anyOf", "oneOf"]);
type UnionKeyword = "anyOf" | "oneOf";

/** The alternatives of a value. */
interface Union {
  /**
   * Null for a schema that is not a union. Then `forms` contains the schema itself, or one schema for each of its
   * types.
   */
  readonly keyword: UnionKeyword | null;
  readonly forms: readonly VersionedSchema[];
  /** The positions of the alternatives by the discriminator's values; undefined without a discriminator. */
  readonly selected: Node | undefined;
}

/**
 * Compares two schemas alternative by alternative. At least one schema must be only a union.
 * @returns null if neither schema is a union, or if a union has further keywords that limit values
 */
export function compareUnions(
  before: Resolved,
  after: Resolved,
  at: Location,
  comparison: Comparison,
): readonly Finding[] | null {
  if (!hasForms(before.node) && !hasForms(after.node)) return null;
  const [old, current] = [unionOf(before), unionOf(after)];
  return old === null || current === null ? null : compareForms(old, current, at, comparison);
}

function hasForms(node: Node): boolean {
  return "anyOf" in node || "oneOf" in node;
}

function unionOf(resolved: Resolved): Union | null {
  const { node, schemas } = resolved;
  const demands = Object.entries(node).filter(([keyword]) => !Object.hasOwn(annotations, keyword));
  const keywords = [...unionKeywords].filter((keyword) => keyword in node);
  const [keyword] = keywords;
  if (keyword !== undefined) return demands.length === 1 ? unionIn(resolved, keyword) : null;
  const plain = Object.fromEntries(demands);
  const { type } = node;
  const nodes = Array.isArray(type)
    ? type.map((one: unknown) => ({ ...plain, type: one }))
    : [plain];
  const forms = nodes.map((schema) => ({ schema, schemas }));
  return { keyword: null, forms, selected: undefined };
}

function unionIn({ node, schemas }: Resolved, keyword: UnionKeyword): Union {
  const discriminator = node["x-discriminator"];
  return {
    keyword,
    forms: listOf(node[keyword]).map((schema) => ({ schema, schemas })),
    selected: discriminator === undefined ? undefined : nodeOf(nodeOf(discriminator).mapping),
  };
}

/** Compares unions in schemas that also have other limits. */
export function compareMixedUnions(
  before: Resolved,
  after: Resolved,
  at: Location,
  comparison: Comparison,
): readonly Finding[] {
  const keywords = [...unionKeywords].filter(
    (keyword) => keyword in before.node || keyword in after.node,
  );
  return keywords.flatMap((keyword) => {
    const change = changeOf(before.node[keyword], after.node[keyword]);
    if (change === "changed")
      return compareForms(unionIn(before, keyword), unionIn(after, keyword), at, comparison);
    const effect = change === "added" ? "narrower" : "wider";
    const difference = differenceOf(keyword, before.node, after.node, effect);
    return difference === null ? [] : [locate(difference, at)];
  });
}

function compareForms(
  old: Union,
  current: Union,
  at: Location,
  comparison: Comparison,
): readonly Finding[] {
  const keyword = current.keyword ?? old.keyword ?? "anyOf";
  const isKept = (form: VersionedSchema) =>
    current.forms.some((other) => comparison.contains(other, form));
  const isKnown = (form: VersionedSchema) =>
    old.forms.some((other) => comparison.contains(other, form));
  const areOpen = [old, current].every(({ forms }) => forms.some(isUnlistedAlternative));
  const matched = areOpen
    ? pairAlternatives(listedForms(old), listedForms(current))
    : pairAlternatives(old.forms, current.forms);
  const { alone, pairs } = matched;
  return [
    ...pairs.flatMap(({ after, before }) => {
      const place = partLocation(at, [keyword, String(current.forms.indexOf(after))]);
      const findings = comparison.compare(before, after, place);
      return isCompensated(
        findings,
        () => isKept(before),
        () => isKnown(after),
      );
    }),
    ...alone.before
      .filter((form) => !isKept(form))
      .map((form) => {
        const place = partLocation(at, [keyword, String(old.forms.indexOf(form))]);
        if (areOpen) {
          const predicate = `no longer has ${inWords(form)} in its open list of forms`;
          return findingAt({ change: "removed", effect: "wider", predicate }, place);
        }
        const predicate = `can no longer be ${inWords(form)}`;
        return findingAt({ change: "removed", effect: "narrower", predicate }, place);
      }),
    ...alone.after
      .filter((form) => !isKnown(form))
      .map((form) => {
        const place = partLocation(at, [keyword, String(current.forms.indexOf(form))]);
        if (areOpen && selectsOnlyUnlistedValues(form, current, old)) {
          const predicate = `has ${inWords(form)} as a new known form in its open list`;
          return findingAt({ change: "added", effect: "narrower", predicate }, place);
        }
        const predicate = `can now be ${inWords(form)}`;
        return findingAt({ change: "added", effect: "wider", predicate }, place);
      }),
    ...compareExclusion(old, current, matched, at, comparison),
  ];
}

/**
 * Reports whether an alternative is for all values that a discriminator does not list. This alternative follows from
 * the listed alternatives, whose changes are reported instead.
 */
function isUnlistedAlternative({ schema }: VersionedSchema): boolean {
  return nodeOf(schema)["x-other"] === true;
}

function listedForms({ forms }: Union): readonly VersionedSchema[] {
  return forms.filter((form) => !isUnlistedAlternative(form));
}

/**
 * Reports whether no value that selects an alternative was listed before. An open discriminator accepted these values
 * with any fields.
 */
function selectsOnlyUnlistedValues(
  form: VersionedSchema,
  { forms, selected = {} }: Union,
  old: Union,
): boolean {
  const values = Object.keys(selected).filter((value) => selected[value] === forms.indexOf(form));
  return values.length > 0 && !values.some((value) => Object.hasOwn(old.selected ?? {}, value));
}

/**
 * Reports whether another alternative compensates for the change of an alternative: the other alternative allows the
 * values that this alternative loses, or already allowed the values that this alternative gains.
 */
function isCompensated(
  findings: readonly Finding[],
  isKept: () => boolean,
  isKnown: () => boolean,
): readonly Finding[] {
  const takesAway = findings.some(isNarrower) && !isKept();
  const adds = findings.some(isWider) && !isKnown();
  return findings.flatMap((found) => {
    if (!isNarrower(found) && !isWider(found)) return [found];
    const left = effectOf(isNarrower(found) && takesAway, isWider(found) && adds);
    return left === null ? [] : [{ ...found, effect: left }];
  });
}

function isNarrower({ effect }: Finding): boolean {
  return effect === "narrower" || effect === "other";
}

function isWider({ effect }: Finding): boolean {
  return effect === "wider" || effect === "other";
}

/**
 * Compares the overlap of alternatives. `oneOf` refuses a value that two alternatives allow, so a wider alternative can
 * exclude values. With a discriminator, each value belongs to the alternative that it selects.
 */
function compareExclusion(
  old: Union,
  current: Union,
  { alone, pairs }: AlternativePairs,
  at: Location,
  { contains }: Comparison,
): readonly Finding[] {
  const isOverlapping = [old, current].some(
    ({ forms, keyword, selected }) =>
      keyword === "oneOf" && selected === undefined && !areDisjoint(forms.map(resolve)),
  );
  if (!isOverlapping) return [];
  const isSame =
    old.keyword === current.keyword &&
    alone.before.length + alone.after.length === 0 &&
    pairs.every(({ after, before }) => contains(after, before) && contains(before, after));
  if (isSame) return [];
  const predicate = "combines forms that the same value can have, so that it may now be refused";
  return [locate({ keyword: "oneOf", effect: "other", change: "changed", predicate }, at)];
}

function areDisjoint(forms: readonly Resolved[]): boolean {
  return forms.every((form, index) =>
    forms.slice(index + 1).every((other) => isDisjoint(form.node, other.node)),
  );
}
