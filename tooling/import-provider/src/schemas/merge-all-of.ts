import {
  below,
  type ImportDocument,
  isObject,
  type JsonObject,
  listOf,
  membersOf,
} from "../document/references.ts";
import { ImportFault } from "../report.ts";

/** Schemas inside schemas inside schemas: deeper ones hold themselves. */
const DEEPEST = 40;

/** A schema without `allOf`, and without a reference at its top. */
export interface Merged {
  readonly schema: JsonObject;
  /** The alternatives that it must fit beside: the `oneOf` and `anyOf` of its parts, when there are several. */
  readonly further: readonly JsonObject[];
}

/**
 * Joins the parts of an `allOf`, and what stands beside it or beside a `$ref`, in one schema: the properties of all, and
 * the narrowest of each rule.
 * @throws ImportFault when the parts contradict each other, or hold themselves
 */
export function mergeAllOf(document: ImportDocument, schema: JsonObject, pointer: string): Merged {
  const parts = flattened(document, schema, pointer, 0);
  const alternatives = parts.flatMap(({ anyOf, discriminator, oneOf }) => [
    ...(Array.isArray(oneOf) ? [{ oneOf, discriminator }] : []),
    ...(Array.isArray(anyOf) ? [{ anyOf, discriminator }] : []),
  ]);
  const [first = {}, ...further] = alternatives;
  const plain = parts.map(({ anyOf: _any, discriminator: _by, oneOf: _one, ...rest }) => rest);
  return { schema: { ...plain.reduce(joined, {}), ...first }, further };

  function joined(one: JsonObject, other: JsonObject): JsonObject {
    const result = new Map(Object.entries(one));
    for (const [keyword, value] of Object.entries(other))
      result.set(
        keyword,
        result.has(keyword) ? both(keyword, result.get(keyword), value, pointer) : value,
      );
    return Object.fromEntries(result);
  }
}

/** The schema and every part of its `allOf`, the inherited ones first, as they are read. */
function flattened(
  document: ImportDocument,
  schema: JsonObject,
  pointer: string,
  depth: number,
): readonly JsonObject[] {
  if (depth > DEEPEST) throw new ImportFault("is composed of itself by allOf", pointer);
  const { $ref, allOf, ...own } = schema;
  const parts = listOf(allOf).map((part, index) => [part, below(pointer, "allOf", index)] as const);
  const referred = typeof $ref === "string" ? [document.target($ref, pointer)] : [];
  return [
    ...referred.flatMap((target) =>
      flattened(document, target.value, target.pointer, depth + 1).map(inherited),
    ),
    ...parts.flatMap(([part, place]) =>
      isObject(part) ? flattened(document, part, place, depth + 1).map(inherited) : [],
    ),
    own,
  ];
}

/** What belongs to the part as a type of its own, and not to what is composed of it. */
function inherited(part: JsonObject): JsonObject {
  const { discriminator, title: _title, ...rest } = part;
  // A discriminator beside alternatives says which of them it is; alone, it names those who inherit.
  return Array.isArray(rest.oneOf) || Array.isArray(rest.anyOf) ? { ...rest, discriminator } : rest;
}

/** One keyword of two schemas that must both fit. */
function both(keyword: string, one: unknown, other: unknown, pointer: string): unknown {
  switch (keyword) {
    case "properties":
      return bothProperties(one, other);
    case "required":
      return [...new Set([...listOf(one), ...listOf(other)])];
    case "enum":
      return listOf(one).filter((value) => listOf(other).includes(value));
    case "type":
      return commonType(one, other, pointer);
    case "minimum":
    case "exclusiveMinimum":
    case "minLength":
    case "minItems":
    case "minProperties":
      return Math.max(Number(one), Number(other));
    case "maximum":
    case "exclusiveMaximum":
    case "maxLength":
    case "maxItems":
    case "maxProperties":
      return Math.min(Number(one), Number(other));
    case "additionalProperties":
      return one === false || other === false ? false : isObject(other) ? other : one;
    case "items":
      return { allOf: [one, other] };
    case "nullable":
    case "uniqueItems":
      return keyword === "nullable"
        ? one === true && other === true
        : one === true || other === true;
    // Descriptions, examples and the like: the nearer one counts.
    default:
      return other;
  }
}

function bothProperties(one: unknown, other: unknown): JsonObject {
  const result = new Map(membersOf(one));
  for (const [name, schema] of membersOf(other)) {
    const earlier = result.get(name);
    const isSame = earlier === undefined || JSON.stringify(earlier) === JSON.stringify(schema);
    result.set(name, isSame ? schema : { allOf: [earlier, schema] });
  }
  return Object.fromEntries(result);
}

function commonType(one: unknown, other: unknown, pointer: string): unknown {
  const [left, right] = [one, other].map((type) => (Array.isArray(type) ? type : [type]));
  const common = (left ?? []).filter(
    (type) => right?.includes(type) || (type === "integer" && right?.includes("number")),
  );
  if (common.length === 0 && left?.includes("number") && right?.includes("integer"))
    return "integer";
  if (common.length === 0)
    throw new ImportFault(
      `must be of the types ${String(one)} and ${String(other)} at once`,
      pointer,
    );
  return common.length === 1 ? common[0] : common;
}
