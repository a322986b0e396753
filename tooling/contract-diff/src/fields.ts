import type { Comparison } from "./comparison.ts";
import {
  appendFindings,
  effectOf,
  type Finding,
  findingAt,
  type Location,
  partLocation,
} from "./finding.ts";
import { listOf, memberOf, namesOf, nodeOf } from "./json.ts";
import { isNever, type Resolved, type VersionedSchema } from "./side.ts";

/** The keywords that limit the fields of objects. */
export const fieldKeywords: ReadonlySet<string> = new Set([
  "properties",
  "required",
  "additionalProperties",
  "patternProperties",
  "propertyNames",
]);

/** Compares the fields of objects: the declared fields, all other fields, and the names of fields. */
export function compareFields(
  before: Resolved,
  after: Resolved,
  at: Location,
  comparison: Comparison,
): readonly Finding[] {
  const names = new Set([
    ...namesOf(nodeOf(before.node.properties), nodeOf(after.node.properties)),
    ...[before, after].flatMap(({ node }) => listOf(node.required).map(String)),
  ]);
  const findings: Finding[] = [];
  for (const name of names) {
    const [old, current] = [fieldOf(before, name), fieldOf(after, name)];
    if (isSameField(old, current, comparison)) continue;
    const location = partLocation(at, ["properties", name], name);
    appendFindings(findings, compareField(old, current, location, comparison));
  }
  appendFindings(findings, compareOthers(before, after, at, comparison));
  appendFindings(findings, compareNames(before, after, at, comparison));
  return findings;
}

function compareNames(
  before: Resolved,
  after: Resolved,
  at: Location,
  comparison: Comparison,
): readonly Finding[] {
  const [old, current] = [before.node.propertyNames, after.node.propertyNames];
  // Few schemas limit the names of their fields, and other schemas need no location.
  if (old === undefined && current === undefined) return [];
  return comparison.compare(
    { schema: old ?? true, schemas: before.schemas },
    { schema: current ?? true, schemas: after.schemas },
    { ...partLocation(at, ["propertyNames"]), part: `the names of fields in ${at.part}` },
  );
}

/** An object's rules for one of its fields. */
interface ObjectField extends VersionedSchema {
  /** True if the object declares the field by name; false if the rules for undeclared fields apply. */
  readonly isDeclared: boolean;
  readonly isRequired: boolean;
}

function fieldOf(object: Resolved, name: string): ObjectField {
  const { node, schemas } = object;
  const declared = memberOf(nodeOf(node.properties), name);
  return {
    schema: declared ?? undeclared(object),
    schemas,
    isDeclared: declared !== undefined,
    isRequired: listOf(node.required).includes(name),
  };
}

/** Returns the schema for the fields that an object does not declare by name. */
function undeclared({ node }: Resolved): unknown {
  // Name patterns are compared as a whole, so the rules of a pattern for this field count as unknown.
  return node.patternProperties === undefined ? (node.additionalProperties ?? true) : true;
}

function isSameField(before: ObjectField, after: ObjectField, { areSame }: Comparison): boolean {
  return (
    before.isDeclared === after.isDeclared &&
    before.isRequired === after.isRequired &&
    areSame(before.schema, after.schema)
  );
}

function compareField(
  before: ObjectField,
  after: ObjectField,
  at: Location,
  comparison: Comparison,
): readonly Finding[] {
  if (before.isDeclared === after.isDeclared)
    return [
      ...comparePresence(before, after, at),
      ...(before.isDeclared ? comparison.compare(before, after, at) : []),
    ];
  const isDropped = before.isDeclared;
  const isNarrower =
    (after.isRequired && !before.isRequired) || !comparison.contains(after, before);
  const isWider =
    (before.isRequired && !after.isRequired) ||
    // In the newer version callers cannot rely on the field at all, even if the older version allowed any value of the
    // field.
    (isDropped && isOpen(after)) ||
    !comparison.contains(before, after);
  const effect = effectOf(isNarrower, isWider) ?? "notice";
  if (isDropped) return [findingAt({ change: "removed", effect, predicate: "is removed" }, at)];
  const demand = after.isRequired ? " and required" : " and optional";
  const predicate = `is new${at.direction === "request" ? demand : ""}`;
  return [findingAt({ change: "added", effect, predicate }, at)];
}

function comparePresence(
  before: ObjectField,
  after: ObjectField,
  at: Location,
): readonly Finding[] {
  if (before.isRequired === after.isRequired) return [];
  const words = {
    request: ["is now required", "is now optional"],
    answer: ["is now always present", "can now be absent"],
  } as const;
  const [demanded, released] = words[at.direction];
  return after.isRequired
    ? [findingAt({ change: "changed", effect: "narrower", predicate: demanded }, at)]
    : [findingAt({ change: "changed", effect: "wider", predicate: released }, at)];
}

function compareOthers(
  { node: before, schemas: old }: Resolved,
  { node: after, schemas: current }: Resolved,
  at: Location,
  comparison: Comparison,
): readonly Finding[] {
  const name = "additionalProperties";
  const others = [
    { schema: before[name] ?? true, schemas: old },
    { schema: after[name] ?? true, schemas: current },
  ] as const;
  const [wasClosed, isClosedNow] = others.map(isClosed);
  if (wasClosed === isClosedNow)
    return wasClosed ? [] : comparison.compare(...others, partLocation(at, [name], "*"));
  const location = partLocation(at, [name]);
  const change = "changed";
  return isClosedNow
    ? [
        findingAt(
          { change, effect: "narrower", predicate: "no longer allows undeclared fields" },
          location,
        ),
      ]
    : [findingAt({ change, effect: "wider", predicate: "now allows undeclared fields" }, location)];
}

function isClosed({ schema }: VersionedSchema): boolean {
  return schema === false || isNever(nodeOf(schema));
}

function isOpen({ schema }: VersionedSchema): boolean {
  return schema === true || (Object.keys(nodeOf(schema)).length === 0 && schema !== false);
}
