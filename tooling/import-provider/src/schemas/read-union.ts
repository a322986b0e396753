import {
  appendToPointer,
  type ImportDocument,
  isObject,
  type JsonObject,
  listOf,
  membersOf,
  namesIn,
  pointerOf,
  refersTo,
} from "../document/references.ts";
import { isFree } from "./keywords.ts";
import { mergeAllOf } from "./merge-all-of.ts";
import type { Scalar, SchemaNode, UnionNode } from "./model.ts";
import { nullableOf } from "./read-leaf.ts";
import { objectIn, type Place, type SchemaReader } from "./read-schema.ts";

/**
 * Reads the alternatives of `oneOf` or `anyOf`.
 * @param readBase - reads the keywords beside the alternatives separately
 */
export function readUnion(
  reader: SchemaReader,
  schema: JsonObject,
  place: Place,
  readBase: (base: JsonObject) => SchemaNode,
): SchemaNode {
  const { anyOf, discriminator, oneOf, ...base } = schema;
  const keyword = Array.isArray(oneOf) ? "oneOf" : "anyOf";
  const listed = listOf(oneOf ?? anyOf).filter(isObject);
  const present = listed.filter((alternative) => !isNull(alternative));
  const groups = present.map(({ required }) => listOf(required).map(String));
  if (present.length > 0 && present.every(isRequirement)) {
    const { operation, pointer, side } = place;
    const isExact = keyword === "anyOf" || side === "answer";
    // If a group lists no field, every value has all fields of this group, and no rule is needed.
    const rule = groups.some((group) => group.length === 0) ? [] : groups;
    const node = withRequirement(readBase(base), rule);
    if (!isExact || objectIn(node) === undefined) {
      const effect = isExact
        ? "The required fields are not checked."
        : "Several alternatives, which only list required fields, may match at once.";
      reader.report.add({ operation, pointer, effect, severity: "loosened" });
    }
    return node;
  }
  const isPlain = isFree(base) || (Object.keys(base).length === 1 && base.type === "object");
  const isWhole = (alternative: JsonObject): boolean =>
    isPlain || inheritsFrom(reader.document, alternative, place.pointer);
  const isShared = keyword === "anyOf" && place.side === "request" && discriminator === undefined;
  const shared = isShared ? fieldsOfOthers(reader.document, base, present, place.pointer) : [];
  const nodes = present.map((alternative, index) => {
    const whole = isWhole(alternative) ? alternative : { allOf: [base, alternative] };
    const others = shared[index] ?? {};
    const isAlone = Object.keys(others).length === 0;
    return reader.read(isAlone ? whole : { allOf: [whole, { properties: others }] }, {
      ...place,
      pointer: appendToPointer(place.pointer, keyword, index),
      title: titleOf(alternative, place.title, index),
    });
  });
  const hasNull = present.length < listed.length;
  const node = unionOf(reader, place, nodes, {
    // Schemas of answers allow unknown fields, so a value often matches several alternatives.
    mode: keyword === "oneOf" && place.side === "request" ? "one" : "any",
    discriminator,
    present,
  });
  return hasNull ? nullableOf(node) : node;
}

/**
 * Returns the additional fields that each alternative of `anyOf` may have: the fields of the other alternatives,
 * because several alternatives may match. A closed request would otherwise refuse these fields.
 */
function fieldsOfOthers(
  document: ImportDocument,
  base: JsonObject,
  alternatives: readonly JsonObject[],
  pointer: string,
): readonly JsonObject[] {
  const merged = alternatives.map(
    (alternative) => mergeAllOf(document, { allOf: [base, alternative] }, pointer).schema,
  );
  if (!merged.every((one) => isObject(one.properties))) return [];
  const all = new Map<string, unknown[]>();
  for (const [name, schema] of merged.flatMap(({ properties }) => membersOf(properties)))
    all.set(name, [...(all.get(name) ?? []), schema]);
  return merged.map(({ additionalProperties, properties }) => {
    const own = new Set(membersOf(properties).map(([name]) => name));
    const others = [...all].filter(([name]) => !own.has(name));
    const fields = others.map(([name, [first, ...more]]) => [
      name,
      more.length === 0 ? first : { anyOf: [first, ...more] },
    ]);
    return additionalProperties === false ? {} : Object.fromEntries(fields);
  });
}

interface Alternatives {
  readonly mode: UnionNode["mode"];
  readonly discriminator: unknown;
  readonly present: readonly JsonObject[];
}

function unionOf(
  reader: SchemaReader,
  place: Place,
  nodes: readonly SchemaNode[],
  { discriminator, mode, present }: Alternatives,
): SchemaNode {
  const [only, ...others] = nodes;
  if (only === undefined) return { type: "null" };
  if (others.length === 0) return only;
  const open = place.side === "answer";
  const by = discriminatorValues(reader.document, nodes, present, { discriminator, open });
  const isUnchosen = by === undefined && isObject(discriminator);
  if (isUnchosen)
    reader.report.add({
      operation: place.operation,
      pointer: place.pointer,
      effect: `The discriminator ${String(discriminator.propertyName)} selects nothing, because it may be left out or has the same value in several alternatives: a value must fit any of them.`,
      severity: "loosened",
    });
  const chosen = new Set(by?.values.map(([value]) => value));
  const mapping =
    by !== undefined && isObject(discriminator) ? membersOf(discriminator.mapping) : [];
  const unlisted = mapping.map(([value]) => value).filter((value) => !chosen.has(value));
  if (unlisted.length > 0)
    reader.report.add({
      operation: place.operation,
      pointer: place.pointer,
      effect: `Values of the discriminator that lead to none of the alternatives are ${open ? "not checked" : "refused"}: ${unlisted.join(", ")}.`,
      severity: open ? "loosened" : "lost",
    });
  if (by !== undefined) return { type: "union", mode, alternatives: nodes, by };
  // Several alternatives may match if the discriminator does not distinguish them.
  return { type: "union", mode: isUnchosen ? "any" : mode, alternatives: nodes };
}

/**
 * Returns the alternative for each value of the discriminator: from the mapping, from the field of the alternative, or
 * from the name of the alternative.
 */
function discriminatorValues(
  document: ImportDocument,
  nodes: readonly SchemaNode[],
  present: readonly JsonObject[],
  { discriminator, open }: { readonly discriminator: unknown; readonly open: boolean },
): UnionNode["by"] {
  if (!isObject(discriminator) || typeof discriminator.propertyName !== "string") return undefined;
  const property = discriminator.propertyName;
  const pointers = present.map((alternative) => targetOf(document, alternative));
  const values = new Map<string, SchemaNode>();
  for (const [value, target] of membersOf(discriminator.mapping)) {
    const found = pointers.findIndex((pointer) => isNamed(pointer, target));
    const node = nodes[found];
    if (node !== undefined) values.set(value, node);
  }
  for (const [index, node] of nodes.entries()) {
    const field = objectIn(node)?.fields.find(({ name }) => name === property);
    // An optional or missing field cannot select the alternative.
    if (field === undefined || !field.required) return undefined;
    const own = valuesOf(field.schema);
    const isMapped = [...values.values()].includes(node);
    const named = own.length > 0 ? own : isMapped ? [] : [lastName(pointers[index])];
    // An alternative without a separate value could never be selected.
    if (!named.every((value) => typeof value === "string" && value !== "")) return undefined;
    for (const value of named.map(String)) if (!values.has(value)) values.set(value, node);
  }
  const isChosen = (node: SchemaNode): boolean => [...values.values()].includes(node);
  return nodes.every(isChosen) ? { property, values: [...values], open } : undefined;
}

/** Returns the values of a discriminator field, even if the list of an answer is open. */
function valuesOf(node: SchemaNode): readonly Scalar[] {
  if (node.type === "named") return valuesOf(node.definition.node);
  return node.type === "enum" ? node.values : [];
}

/** Reports whether an alternative inherits from the schema that lists it (as with Java classes). */
function inheritsFrom(document: ImportDocument, { $ref }: JsonObject, pointer: string): boolean {
  if (typeof $ref !== "string") return false;
  return listOf(document.target($ref, pointer).value.allOf).some((part) => refersTo(part, pointer));
}

function targetOf(document: ImportDocument, alternative: JsonObject): string {
  return typeof alternative.$ref === "string" ? document.target(alternative.$ref, "").pointer : "";
}

/**
 * Reports whether a mapping's target names a schema, by reference or by name alone (OpenAPI 3.1, Discriminator Object).
 */
function isNamed(pointer: string, target: unknown): boolean {
  if (pointer === "" || typeof target !== "string") return false;
  return target === lastName(pointer) || pointerOf(target) === pointer;
}

function lastName(pointer = ""): string {
  return namesIn(pointer).at(-1) ?? "";
}

/**
 * Returns the schemas that inherit (`allOf` with a reference) from a schema with a discriminator and no alternatives,
 * as the `oneOf` that the document means.
 * @returns undefined if no schema inherits from it
 */
export function childrenOf(
  document: ImportDocument,
  schema: JsonObject,
  pointer: string,
): ((own: JsonObject) => JsonObject) | undefined {
  const { anyOf, discriminator, oneOf } = schema;
  if (!isObject(discriminator) || oneOf !== undefined || anyOf !== undefined) return undefined;
  const { components } = document.root;
  const schemas = membersOf(isObject(components) ? components.schemas : undefined);
  const inherits = (one: unknown, from: string): boolean =>
    isObject(one) && listOf(one.allOf).some((part) => refersTo(part, from));
  const pointers = new Set([pointer]);
  // The loop also visits the child schemas that the loop adds, and therefore finds the children of child schemas.
  for (const from of pointers)
    for (const [name, one] of schemas)
      if (inherits(one, from)) pointers.add(appendToPointer("/components/schemas", name));
  const children = [...pointers].slice(1).map((child) => ({ $ref: `#${child}` }));
  if (children.length === 0) return undefined;
  const mapped = membersOf(discriminator.mapping).some(([, target]) => isNamed(pointer, target));
  return (own) => ({ oneOf: mapped ? [...children, own] : children, discriminator });
}

/** Reports whether an alternative only lists required fields. */
function isRequirement(alternative: JsonObject): boolean {
  const { required, ...others } = alternative;
  const { type, ...beside } = others;
  return Array.isArray(required) && isFree(beside) && (type === undefined || type === "object");
}

function withRequirement(node: SchemaNode, groups: readonly (readonly string[])[]): SchemaNode {
  const object = objectIn(node);
  if (object === undefined || node.type !== "named" || groups.length === 0) return node;
  node.definition.node = { ...object, needsOneOf: [...object.needsOneOf, groups] };
  return node;
}

function isNull({ enum: values, type }: JsonObject): boolean {
  return type === "null" || (Array.isArray(values) && values.length === 1 && values[0] === null);
}

function titleOf(alternative: JsonObject, title: string, index: number): string {
  const own = alternative.title;
  return typeof own === "string" && own.length <= 40 ? `${title} ${own}` : `${title} ${index + 1}`;
}
