import { check, type Fault, pointerNames, type Schema } from "@insurance-gateway/core/contract";
import { compileSchema } from "../validation/validate.ts";
import {
  ANY,
  collectDifferences,
  type Difference,
  type DifferenceKind,
  type Differences,
  isObject,
  type Place,
  safeName,
} from "./difference.ts";
import {
  alternativesOf,
  documentOf,
  itemsOf,
  type JsonSchema,
  listedValues,
  mapValues,
  type SchemaDocument,
} from "./json-schema.ts";

/** Compares a value with a declared schema. Pure. */
export type CompareDeclared = (value: unknown) => readonly Difference[];

/**
 * Creates the comparison with a schema. What breaks it is exactly what its validation finds; what the open schema lets pass
 * is looked for beside it: fields that it does not have, and values that an open list does not have.
 */
export function compareDeclared(schema: Schema<unknown>): CompareDeclared {
  const compiled = compileSchema(schema);
  const document = documentOf(schema);
  return (value) => {
    const found = collectDifferences();
    const checked = check(compiled, value);
    if (!checked.valid) for (const fault of checked.faults) addFault(fault, value, document, found);
    lookForAdditions({ document, node: document.root, value, place: [] }, found);
    return found.list();
  };
}

/** One part of a value, with its schema. */
interface Part {
  readonly document: SchemaDocument;
  readonly node: JsonSchema;
  readonly value: unknown;
  readonly place: Place;
}

function lookForAdditions(part: Part, found: Differences): void {
  const node = part.document.resolved(part.node);
  const { place, value } = part;
  const alternatives = alternativesOf(node);
  if (alternatives.length > 0) lookInAlternatives({ ...part, node }, alternatives, found);
  if (node.allOf !== undefined) lookInAll({ ...part, node }, node.allOf, found);
  const known = node["x-extensible-enum"];
  if (known !== undefined && typeof value === "string" && !known.includes(value))
    found.add(place, "enum", false);
  if (Array.isArray(value)) lookInList({ ...part, node }, value, found);
  else if (isObject(value)) lookInObject({ ...part, node }, value, found);
}

function lookInList({ node, ...part }: Part, items: readonly unknown[], found: Differences): void {
  const all = itemsOf(node);
  for (const [index, value] of items.entries()) {
    const item = node.prefixItems?.[index] ?? all;
    if (item !== undefined)
      lookForAdditions({ ...part, node: item, value, place: [...part.place, ANY] }, found);
  }
}

function lookInObject(
  { node, ...part }: Part,
  value: Readonly<Record<string, unknown>>,
  found: Differences,
): void {
  const { additionalProperties, properties } = node;
  if (properties === undefined && additionalProperties === undefined) return;
  const values = mapValues(node);
  for (const [name, member] of Object.entries(value)) {
    const declared = ownProperty(properties, name);
    const inner = declared ?? values;
    const undeclared = values === undefined ? safeName(name) : ANY;
    const place = [...part.place, declared === undefined ? undeclared : name];
    if (inner === undefined) found.add(place, "added", additionalProperties === false);
    else lookForAdditions({ ...part, node: inner, value: member, place }, found);
  }
}

/** A name that objects have by themselves is none of the declaration's. */
function ownProperty(
  properties: JsonSchema["properties"] = {},
  name: string,
): JsonSchema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Of a choice, the alternative counts that the value fits best. */
function lookInAlternatives(
  part: Part,
  alternatives: readonly JsonSchema[],
  found: Differences,
): void {
  const fitting = alternatives.filter((node) => isOfType(part.document.resolved(node), part.value));
  const each = fitting.map((node) => additionsTo({ ...part, node }));
  const [fewest = []] = each.toSorted((one, other) => one.length - other.length);
  for (const { breaking, kind, pointer } of fewest)
    found.add(pointerNames(pointer), kind, breaking);
}

/** What fits several schemas at once has an addition only where none of them has the field. */
function lookInAll(part: Part, all: readonly JsonSchema[], found: Differences): void {
  const each = all.map((node) => additionsTo({ ...part, node }));
  for (const difference of each.flat()) {
    const isEverywhere = each.every((differences) =>
      differences.some(({ pointer }) => pointer === difference.pointer),
    );
    if (difference.kind === "added" && !isEverywhere) continue;
    found.add(pointerNames(difference.pointer), difference.kind, difference.breaking);
  }
}

function additionsTo(part: Part): readonly Difference[] {
  const found = collectDifferences();
  lookForAdditions(part, found);
  return found.list();
}

function isOfType({ type }: JsonSchema, value: unknown): boolean {
  if (type === undefined) return true;
  const types = typeof type === "string" ? [type] : type;
  return types.includes(typeOf(value)) || (types.includes("integer") && Number.isInteger(value));
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** The kinds of the faults that validation finds. */
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

/** Follows a fault's pointer: what is there, its schema where it has one, and how its place is reported. */
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

/** A declared name is the declaration's own; any other may be the insurer's. */
function undeclaredName(options: readonly JsonSchema[], name: string): string {
  return options.some((node) => mapValues(node) !== undefined) ? ANY : safeName(name);
}

function firstOf(
  options: readonly JsonSchema[],
  part: (node: JsonSchema) => JsonSchema | undefined,
): JsonSchema | undefined {
  return options.map(part).find((one) => one !== undefined);
}

/** A schema with its alternatives and parts, none of which is a reference. */
function spread(document: SchemaDocument, node: JsonSchema, depth = 0): readonly JsonSchema[] {
  const resolved = document.resolved(node);
  const inner = depth > MOST_NESTED ? [] : [...alternativesOf(resolved), ...(resolved.allOf ?? [])];
  return [resolved, ...inner.flatMap((one) => spread(document, one, depth + 1))];
}

/** Choices within choices are followed so far; no declaration has more. */
const MOST_NESTED = 8;
