import { compareAnnotations, isPlainAnnotation } from "./annotations.ts";
import { compareAssertions } from "./assertions.ts";
import type { Comparison } from "./comparison.ts";
import { compareFields, fieldKeywords } from "./fields.ts";
import {
  appendFindings,
  type Finding,
  findingAt,
  type Location,
  locate,
  partLocation,
} from "./finding.ts";
import { compareIntersections } from "./intersections.ts";
import { listOf, memberOf, type Node } from "./json.ts";
import { isNever, type Resolved, typesOf } from "./side.ts";
import { compareMixedUnions, compareUnions, unionKeywords } from "./unions.ts";

/** Compares two versions of a schema with everything inside. References at the top are already followed. */
export function compareResolved(
  before: Resolved,
  after: Resolved,
  at: Location,
  comparison: Comparison,
): readonly Finding[] {
  const [old, current] = [before.node, after.node];
  // Two empty schemas allow everything, so there is nothing to compare.
  if (Object.keys(old).length === 0 && Object.keys(current).length === 0) return [];
  if (isNever(old) || isNever(current)) return compareNever(old, current, at);
  const changed = changedNames(old, current, comparison);
  const remarks = compareAnnotations(old, current, changed).map((found) => locate(found, at));
  if (changed.every(isPlainAnnotation)) return remarks;
  const combined =
    compareUnions(before, after, at, comparison) ??
    compareIntersections(before, after, at, comparison);
  if (combined !== null) return [...remarks, ...combined];
  // Limits on fields have no effect if the value cannot be an object.
  const hasFields = hasAny(changed, fieldKeywords) && canBeBoth("object", old, current);
  const hasItems = hasAny(changed, itemKeywords) && canBeBoth("array", old, current);
  const hasUnions = hasAny(changed, unionKeywords);
  // One list collects all findings, so that the findings of each source need no copy.
  const findings = [...remarks, ...comparePages(old, current, at)];
  for (const found of compareAssertions(old, current, changed)) findings.push(locate(found, at));
  if (hasFields) appendFindings(findings, compareFields(before, after, at, comparison));
  if (hasItems) appendFindings(findings, compareItems(before, after, at, comparison));
  if (hasUnions) appendFindings(findings, compareMixedUnions(before, after, at, comparison));
  return findings;
}

function hasAny(names: readonly string[], keywords: ReadonlySet<string>): boolean {
  return names.some((name) => keywords.has(name));
}

/** Returns the names of the members that differ or that refer to different schemas. */
function changedNames(before: Node, after: Node, { areSame }: Comparison): readonly string[] {
  const changed: string[] = [];
  for (const name of Object.keys(after))
    if (!areSame(memberOf(before, name), after[name], name)) changed.push(name);
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) changed.push(name);
  return changed;
}

function canBeBoth(type: string, ...schemas: readonly Node[]): boolean {
  return schemas.every((schema) => typesOf(schema)?.includes(type) ?? true);
}

function compareNever(before: Node, after: Node, at: Location): readonly Finding[] {
  if (isNever(before) === isNever(after)) return [];
  const [effect, predicate] = isNever(before)
    ? (["wider", "can now have a value"] as const)
    : (["narrower", "can no longer have a value"] as const);
  return [findingAt({ change: "changed", effect, predicate }, at)];
}

/**
 * Compares default pages. A search with the default paging has only the keyword `x-page`, which represents the fields
 * of every default page.
 */
function comparePages(before: Node, after: Node, at: Location): readonly Finding[] {
  if ("x-page" in before === "x-page" in after) return [];
  const predicate = `${"x-page" in after ? "is now" : "is no longer"} a page of the usual form`;
  return [locate({ keyword: "x-page", effect: "other", change: "changed", predicate }, at)];
}

const itemKeywords: ReadonlySet<string> = new Set(["items", "prefixItems"]);

/** Compares the items of lists: the items with a separate schema for their position, and then all other items. */
function compareItems(
  before: Resolved,
  after: Resolved,
  at: Location,
  comparison: Comparison,
): readonly Finding[] {
  const [old, current] = [itemsOf(before), itemsOf(after)];
  const positions = Array.from(
    { length: Math.max(old.first.length, current.first.length) },
    (_, index) => ({ names: ["prefixItems", String(index)], field: String(index), index }),
  );
  const rest = { names: ["items"], field: "*", index: Number.POSITIVE_INFINITY };
  // The schema of a usual page contains only the page's items.
  const list = "x-page" in after.node ? partLocation(at, [], "items") : at;
  return [...positions, rest].flatMap(({ field, index, names }) =>
    comparison.compare(
      { schema: old.first[index] ?? old.others, schemas: before.schemas },
      { schema: current.first[index] ?? current.others, schemas: after.schemas },
      partLocation(list, names, field),
    ),
  );
}

function itemsOf({ node: { items = true, prefixItems } }: Resolved): {
  readonly first: readonly unknown[];
  readonly others: unknown;
} {
  return { first: listOf(prefixItems), others: items };
}
