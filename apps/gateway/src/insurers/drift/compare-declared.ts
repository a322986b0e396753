import { check, type Fault, type Schema } from "@insurance-gateway/core/contract";
import { pointerNames } from "@insurance-gateway/core/runtime";
import { compileSchema } from "../../compile-schema.ts";
import type { Difference, DifferenceKind } from "../../events.ts";
import {
  ANY,
  collectDifferences,
  type Differences,
  isObject,
  type Place,
  safeName,
} from "./difference.ts";
import {
  alternativesOf,
  documentOf,
  isOfType,
  itemsOf,
  type JsonSchema,
  listedValues,
  mapValues,
  type SchemaDocument,
} from "./json-schema.ts";

/** Compares a value with a declared schema. Pure. */
export type CompareDeclared = (value: unknown) => readonly Difference[];

/**
 * Creates the comparison with a schema. Validation finds the violations; the comparison also finds values that the open
 * schema accepts: undeclared fields, and unknown values of an open list.
 */
export function compareDeclared(schema: Schema<unknown>): CompareDeclared {
  const compiled = compileSchema(schema);
  const document = documentOf(schema);
  return (value) => {
    const found = collectDifferences();
    const checked = check(compiled, value);
    if (!checked.valid) for (const fault of checked.faults) addFault(fault, value, document, found);
    lookForAdditions({ document, place: [], found, known: new Map() }, document.root, value);
    return found.list();
  };
}

/** The state of a comparison. */
interface Walk {
  readonly document: SchemaDocument;
  /** The place of the current value. It changes with every step: a list for each step would take most of the time. */
  readonly place: string[];
  readonly found: Differences;
  /** The additions to each object, by schema: recursive alternatives would look for them again on each level. */
  readonly known: Map<JsonSchema, WeakMap<object, readonly Difference[]>>;
}

function lookForAdditions(walk: Walk, schema: JsonSchema, value: unknown): void {
  const node = walk.document.resolved(schema);
  const alternatives = alternativesOf(node);
  if (alternatives.length > 0) lookInAlternatives(walk, alternatives, value);
  if (node.allOf !== undefined) lookInAll(walk, node.allOf, value);
  const known = node["x-extensible-enum"];
  if (known !== undefined && typeof value === "string" && !known.includes(value))
    walk.found.add(walk.place, "enum", false);
  if (Array.isArray(value)) lookInList(walk, node, value);
  else if (isObject(value)) lookInObject(walk, node, value);
}

function lookInField(walk: Walk, name: string, schema: JsonSchema, value: unknown): void {
  walk.place.push(name);
  lookForAdditions(walk, schema, value);
  walk.place.pop();
}

function lookInList(walk: Walk, node: JsonSchema, items: readonly unknown[]): void {
  const all = itemsOf(node);
  for (const [index, value] of items.entries()) {
    const item = node.prefixItems?.[index] ?? all;
    if (item !== undefined) lookInField(walk, ANY, item, value);
  }
}

function lookInObject(
  walk: Walk,
  node: JsonSchema,
  value: Readonly<Record<string, unknown>>,
): void {
  const { additionalProperties, properties } = node;
  if (properties === undefined && additionalProperties === undefined) return;
  const values = mapValues(node);
  for (const name of Object.keys(value)) {
    const declared = ownProperty(properties, name);
    if (declared !== undefined) lookInField(walk, name, declared, value[name]);
    else if (values !== undefined) lookInField(walk, ANY, values, value[name]);
    else walk.found.add([...walk.place, safeName(name)], "added", additionalProperties === false);
  }
}

/** Returns a declared property; the built-in properties of objects are not declared. */
function ownProperty(
  properties: JsonSchema["properties"] = {},
  name: string,
): JsonSchema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Compares with the alternative that fits the value best. */
function lookInAlternatives(walk: Walk, alternatives: readonly JsonSchema[], value: unknown): void {
  const fitting = alternatives.filter((node) => isOfType(walk.document.resolved(node), value));
  const each = fitting.map((node) => additionsTo(walk, node, value));
  const [fewest = []] = each.toSorted((one, other) => one.length - other.length);
  for (const { breaking, kind, pointer } of fewest)
    walk.found.add([...walk.place, ...pointerNames(pointer)], kind, breaking);
}

/** Compares a value with several schemas: a field is an addition only if none of them has it. */
function lookInAll(walk: Walk, all: readonly JsonSchema[], value: unknown): void {
  const each = all.map((node) => additionsTo(walk, node, value));
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

/** Returns the additions to a value, with JSON Pointers into it. */
function additionsTo(walk: Walk, schema: JsonSchema, value: unknown): readonly Difference[] {
  const key = typeof value === "object" ? value : null;
  const values = walk.known.get(schema) ?? new WeakMap<object, readonly Difference[]>();
  walk.known.set(schema, values);
  const known = key === null ? undefined : values.get(key);
  if (known !== undefined) return known;
  const found = collectDifferences();
  lookForAdditions({ ...walk, place: [], found }, schema, value);
  const additions = found.list();
  if (key !== null) values.set(key, additions);
  return additions;
}

/** Returns the kind of a fault that validation found. */
function kindOf({ code }: Fault, value: unknown, node: JsonSchema | undefined): DifferenceKind {
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
  // An addition to a closed object is found with the other additions.
  if (fault.code === "UNKNOWN_FIELD") return;
  const { node, place, value: at } = follow(document, value, pointerNames(fault.pointer));
  found.add(place, kindOf(fault, at, node), true);
}

/** Follows a fault's pointer; returns the value there, its schema if it has one, and its place for the report. */
function follow(
  document: SchemaDocument,
  root: unknown,
  names: readonly string[],
): { readonly node: JsonSchema | undefined; readonly place: Place; readonly value: unknown } {
  let node: JsonSchema | undefined = document.root;
  let value = root;
  const place: string[] = [];
  for (const name of names) {
    const options: readonly JsonSchema[] = node === undefined ? [] : spread(document, node);
    const inList = Array.isArray(value);
    const declared: JsonSchema | undefined = options
      .map(({ properties }) => ownProperty(properties, name))
      .find((one) => one !== undefined);
    const reported = declared === undefined ? undeclaredName(options, name) : name;
    place.push(inList ? ANY : reported);
    node = inList ? firstOf(options, itemsOf) : (declared ?? firstOf(options, mapValues));
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, name)
        ? Reflect.get(value, name)
        : undefined;
  }
  return { node: node && document.resolved(node), place, value };
}

/** Returns the reported form of a name that is not declared, which may contain personal data. */
function undeclaredName(options: readonly JsonSchema[], name: string): string {
  return options.some((node) => mapValues(node) !== undefined) ? ANY : safeName(name);
}

function firstOf(
  options: readonly JsonSchema[],
  part: (node: JsonSchema) => JsonSchema | undefined,
): JsonSchema | undefined {
  return options.map(part).find((one) => one !== undefined);
}

/** Returns a schema with its alternatives and parts; references are resolved. */
function spread(document: SchemaDocument, node: JsonSchema, depth = 0): readonly JsonSchema[] {
  const resolved = document.resolved(node);
  const inner = depth > MOST_NESTED ? [] : [...alternativesOf(resolved), ...(resolved.allOf ?? [])];
  return [resolved, ...inner.flatMap((one) => spread(document, one, depth + 1))];
}

/** Maximum levels of nested alternatives; no declaration has more. */
const MOST_NESTED = 8;
