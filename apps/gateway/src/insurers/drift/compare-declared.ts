import { check, type Fault, type Schema } from "@insurance-gateway/core/contract";
import { pointerNames } from "@insurance-gateway/core/runtime";
import { compileSchema } from "../../compile-schema.ts";
import type { Difference, DifferenceKind } from "../../events.ts";
import {
  ANY_NAME,
  collectDifferences,
  type Differences,
  isObject,
  shownName,
  type ValuePath,
} from "./difference.ts";
import {
  alternativesOf,
  isOfType,
  itemsOf,
  type JsonSchema,
  listedValues,
  mapValueSchema,
  type SchemaDocument,
  schemaDocumentOf,
} from "./json-schema.ts";

/** Returns the differences between a value and its declared schema. A pure function. */
export type CompareDeclared = (value: unknown) => readonly Difference[];

/**
 * Creates the comparison with a schema. The schema's validation finds violations. The comparison also finds what an
 * open schema accepts: undeclared fields, and unlisted values of an open list.
 */
export function compareDeclared(schema: Schema<unknown>): CompareDeclared {
  const compiled = compileSchema(schema);
  const document = schemaDocumentOf(schema);
  return (value) => {
    const found = collectDifferences();
    const checked = check(compiled, value);
    if (!checked.valid) for (const fault of checked.faults) addFault(fault, value, document, found);
    compareValue({ document, place: [], found, known: new Map() }, document.root, value);
    return found.list();
  };
}

/** The state of one comparison. */
interface Comparison {
  readonly document: SchemaDocument;
  /** Path to the current value. It is one list that changes with every step: new lists would take most of the time. */
  readonly place: string[];
  readonly found: Differences;
  /** Undeclared fields of each object, by schema; kept because recursive alternatives need these fields repeatedly. */
  readonly known: Map<JsonSchema, WeakMap<object, readonly Difference[]>>;
}

function compareValue(walk: Comparison, schema: JsonSchema, value: unknown): void {
  const node = walk.document.resolved(schema);
  const alternatives = alternativesOf(node);
  if (alternatives.length > 0) compareWithBestAlternative(walk, alternatives, value);
  if (node.allOf !== undefined) compareWithAllSchemas(walk, node.allOf, value);
  const known = node["x-extensible-enum"];
  if (known !== undefined && typeof value === "string" && !known.includes(value))
    walk.found.add(walk.place, "enum", false);
  if (Array.isArray(value)) compareList(walk, node, value);
  else if (isObject(value)) compareObject(walk, node, value);
}

function compareField(walk: Comparison, name: string, schema: JsonSchema, value: unknown): void {
  walk.place.push(name);
  compareValue(walk, schema, value);
  walk.place.pop();
}

function compareList(walk: Comparison, node: JsonSchema, items: readonly unknown[]): void {
  const all = itemsOf(node);
  for (const [index, value] of items.entries()) {
    const item = node.prefixItems?.[index] ?? all;
    if (item !== undefined) compareField(walk, ANY_NAME, item, value);
  }
}

function compareObject(
  walk: Comparison,
  node: JsonSchema,
  value: Readonly<Record<string, unknown>>,
): void {
  const { additionalProperties, properties } = node;
  if (properties === undefined && additionalProperties === undefined) return;
  const values = mapValueSchema(node);
  for (const name of Object.keys(value)) {
    const declared = declaredProperty(properties, name);
    if (declared !== undefined) compareField(walk, name, declared, value[name]);
    else if (values !== undefined) compareField(walk, ANY_NAME, values, value[name]);
    else walk.found.add([...walk.place, shownName(name)], "added", additionalProperties === false);
  }
}

/** Returns the declared schema of a property. The built-in properties of objects (`toString`) are not declared. */
function declaredProperty(
  properties: JsonSchema["properties"] = {},
  name: string,
): JsonSchema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Compares a value with the one alternative that fits the value best. */
function compareWithBestAlternative(
  walk: Comparison,
  alternatives: readonly JsonSchema[],
  value: unknown,
): void {
  const fitting = alternatives.filter((node) => isOfType(walk.document.resolved(node), value));
  const each = fitting.map((node) => undeclaredFieldsOf(walk, node, value));
  const [fewest = []] = each.toSorted((one, other) => one.length - other.length);
  for (const { breaking, kind, pointer } of fewest)
    walk.found.add([...walk.place, ...pointerNames(pointer)], kind, breaking);
}

/** Compares a value with several schemas at once: a field is undeclared only if none of them declares it. */
function compareWithAllSchemas(walk: Comparison, all: readonly JsonSchema[], value: unknown): void {
  const each = all.map((node) => undeclaredFieldsOf(walk, node, value));
  for (const difference of each.flat()) {
    const isEverywhere = each.every((differences) =>
      differences.some(
        ({ kind, pointer }) =>
          kind === "added" && `${difference.pointer}/`.startsWith(`${pointer}/`),
      ),
    );
    if (difference.kind === "added" && !isEverywhere) continue;
    const place = [...walk.place, ...pointerNames(difference.pointer)];
    walk.found.add(place, difference.kind, difference.breaking);
  }
}

/** Returns the undeclared fields of a value, with JSON Pointers that begin at the value. */
function undeclaredFieldsOf(
  walk: Comparison,
  schema: JsonSchema,
  value: unknown,
): readonly Difference[] {
  const key = typeof value === "object" ? value : null;
  const values = walk.known.get(schema) ?? new WeakMap<object, readonly Difference[]>();
  walk.known.set(schema, values);
  const known = key === null ? undefined : values.get(key);
  if (known !== undefined) return known;
  const found = collectDifferences();
  compareValue({ ...walk, place: [], found }, schema, value);
  const additions = found.list();
  if (key !== null) values.set(key, additions);
  return additions;
}

/** Returns the kind of difference for a fault that the validation found. */
function differenceKindOf(
  { code }: Fault,
  value: unknown,
  node: JsonSchema | undefined,
): DifferenceKind {
  if (code === "REQUIRED") return "missing";
  if (value === null) return "null";
  const isOther = node !== undefined && !fitsSomeType(node, value);
  if (code === "TYPE" || isOther) return "type";
  return code === "VALUE" ? "enum" : "format";
}

function fitsSomeType(node: JsonSchema, value: unknown): boolean {
  const listed = listedValues(node);
  if (node.type === undefined && listed.length > 0)
    return listed.some((one) => typeof one === typeof value);
  const alternatives = alternativesOf(node);
  return alternatives.length === 0
    ? isOfType(node, value)
    : alternatives.some((one) => isOfType(one, value));
}

function addFault(
  fault: Fault,
  value: unknown,
  document: SchemaDocument,
  found: Differences,
): void {
  // This comparison finds the undeclared fields of a closed object together with all other undeclared fields.
  if (fault.code === "UNKNOWN_FIELD") return;
  const { node, place, value: at } = followPointer(document, value, pointerNames(fault.pointer));
  found.add(place, differenceKindOf(fault, at, node), true);
}

/** Follows a fault's pointer; returns the value there, the value's schema if declared, and the path for the report. */
function followPointer(
  document: SchemaDocument,
  root: unknown,
  names: readonly string[],
): { readonly node: JsonSchema | undefined; readonly place: ValuePath; readonly value: unknown } {
  let node: JsonSchema | undefined = document.root;
  let value = root;
  const place: string[] = [];
  for (const name of names) {
    const options: readonly JsonSchema[] =
      node === undefined ? [] : withAlternatives(document, node);
    const inList = Array.isArray(value);
    const declared: JsonSchema | undefined = options
      .map(({ properties }) => declaredProperty(properties, name))
      .find((one) => one !== undefined);
    const reported = declared === undefined ? reportedName(options, name) : name;
    place.push(inList ? ANY_NAME : reported);
    node = inList ? firstOf(options, itemsOf) : (declared ?? firstOf(options, mapValueSchema));
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, name)
        ? Reflect.get(value, name)
        : undefined;
  }
  return { node: node && document.resolved(node), place, value };
}

/** Returns an undeclared name for the report; `*` in place of a name that may be personal data. */
function reportedName(options: readonly JsonSchema[], name: string): string {
  return options.some((node) => mapValueSchema(node) !== undefined) ? ANY_NAME : shownName(name);
}

function firstOf(
  options: readonly JsonSchema[],
  part: (node: JsonSchema) => JsonSchema | undefined,
): JsonSchema | undefined {
  return options.map(part).find((one) => one !== undefined);
}

/** Returns a schema together with its alternatives and parts, with all references resolved. */
function withAlternatives(
  document: SchemaDocument,
  node: JsonSchema,
  depth = 0,
): readonly JsonSchema[] {
  const resolved = document.resolved(node);
  const inner =
    depth > MAX_NESTED_ALTERNATIVES ? [] : [...alternativesOf(resolved), ...(resolved.allOf ?? [])];
  return [resolved, ...inner.flatMap((one) => withAlternatives(document, one, depth + 1))];
}

/** Maximum nested levels of alternatives; no declaration has more. */
const MAX_NESTED_ALTERNATIVES = 8;
