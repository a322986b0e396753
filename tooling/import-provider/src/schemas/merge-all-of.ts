import {
  appendToPointer,
  type ImportDocument,
  isObject,
  type JsonObject,
  listOf,
  membersOf,
  refersTo,
} from "../document/references.ts";
import { ImportFault } from "../report.ts";

/** Maximum depth of nested `allOf`; a schema with a greater depth contains itself. */
const MAX_ALL_OF_LEVELS = 40;

/**
 * Maximum number of parts of one schema. A schema with more parts is hostile: parts of parts can double at each level.
 */
const MAX_PARTS = 500;

/**
 * Keywords that a schema can have only once. If several parts of an `allOf` have such a keyword, the last one counts.
 */
const LAST_COUNTS: readonly string[] = ["const", "format", "multipleOf", "not", "pattern"];

interface Budget {
  readonly depth: number;
  /** The number of further parts of the schema that may still be read. */
  left: number;
}

/** A schema without `allOf` and without a reference at its top. */
export interface MergedSchema {
  readonly schema: JsonObject;
  /** Keywords that several parts have and of which only the last counts. */
  readonly overridden: readonly string[];
  /** Further alternatives that a value must also match: the `oneOf` and `anyOf` of several parts. */
  readonly further: readonly JsonObject[];
}

/**
 * Merges the parts of an `allOf`, and the keywords beside the `allOf` or beside a `$ref`, into one schema, with all
 * properties and the narrowest limits.
 * @throws ImportFault if the parts contradict each other or contain themselves
 */
export function mergeAllOf(
  document: ImportDocument,
  whole: JsonObject,
  pointer: string,
): MergedSchema {
  const parts = flattenParts(document, whole, pointer, { depth: 0, left: MAX_PARTS });
  const alternatives = parts.flatMap(({ anyOf, discriminator, oneOf }) => [
    ...(Array.isArray(oneOf) ? [{ oneOf, discriminator }] : []),
    ...(Array.isArray(anyOf) ? [{ anyOf, discriminator }] : []),
  ]);
  const [first = {}, ...further] = alternatives;
  const plain = parts.map(({ anyOf: _any, discriminator: _by, oneOf: _one, ...rest }) => rest);
  const overridden = new Set<string>();
  const schema = { ...plain.reduce(joined, {}), ...first };
  return { schema, further, overridden: [...overridden] };

  function joined(one: JsonObject, other: JsonObject): JsonObject {
    const result = new Map(Object.entries(one));
    for (const [keyword, value] of Object.entries(other)) {
      const earlier = result.get(keyword);
      if (LAST_COUNTS.includes(keyword) && earlier !== undefined && !isSame(earlier, value))
        overridden.add(keyword);
      result.set(
        keyword,
        earlier === undefined ? value : mergeKeyword(keyword, earlier, value, pointer),
      );
    }
    return Object.fromEntries(result);
  }
}

/** Returns the schema and all parts of its `allOf` in reading order, inherited parts first. */
function flattenParts(
  document: ImportDocument,
  schema: JsonObject,
  pointer: string,
  budget: Budget,
): readonly JsonObject[] {
  const { depth } = budget;
  if (depth > MAX_ALL_OF_LEVELS) throw new ImportFault("is composed of itself by allOf", pointer);
  budget.left -= 1;
  if (budget.left < 0)
    throw new ImportFault(`is composed of more than ${MAX_PARTS} schemas by allOf`, pointer);
  const inner = (part: JsonObject, place: string): readonly JsonObject[] => {
    const deeper = { depth: depth + 1, left: budget.left };
    const parts = flattenParts(document, part, place, deeper);
    budget.left = deeper.left;
    return parts.map((one) => inheritedKeywords(one, pointer));
  };
  const { $ref, allOf, ...own } = schema;
  const referred = typeof $ref === "string" ? [document.target($ref, pointer)] : [];
  return [
    ...referred.flatMap((target) => inner(target.value, target.pointer)),
    ...listOf(allOf).flatMap((part, index) =>
      isObject(part) ? inner(part, appendToPointer(pointer, "allOf", index)) : [],
    ),
    own,
  ];
}

/**
 * Returns a part of an `allOf` without the keywords that concern only the part's own type and that a composed schema
 * does not inherit.
 * @param child - the pointer of the composed schema; an alternative of the part does not inherit the part's
 * alternatives
 */
function inheritedKeywords(part: JsonObject, child: string): JsonObject {
  const { discriminator, title: _title, ...whole } = part;
  const { anyOf, oneOf, ...own } = whole;
  const isAlternative = [...listOf(oneOf), ...listOf(anyOf)].some((one) => refersTo(one, child));
  const rest = isAlternative ? own : whole;
  // A discriminator beside alternatives selects one alternative; a discriminator without alternatives lists the child
  // schemas.
  return Array.isArray(rest.oneOf) || Array.isArray(rest.anyOf) ? { ...rest, discriminator } : rest;
}

/** Merges one keyword of two schemas that a value must both match. */
function mergeKeyword(keyword: string, one: unknown, other: unknown, pointer: string): unknown {
  switch (keyword) {
    case "properties":
      return bothProperties(one, other);
    case "required":
      return [...new Set([...listOf(one), ...listOf(other)])];
    case "enum":
      return commonValues(one, other, pointer);
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
    // An annotation of the nearer schema, such as a description, overrides the same annotation of the other schema.
    default:
      return other;
  }
}

function bothProperties(one: unknown, other: unknown): JsonObject {
  const result = new Map(membersOf(one));
  for (const [name, schema] of membersOf(other)) {
    const earlier = result.get(name);
    const isOne = earlier === undefined || isSame(earlier, schema);
    result.set(name, isOne ? schema : { allOf: [earlier, schema] });
  }
  return Object.fromEntries(result);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function commonValues(one: unknown, other: unknown, pointer: string): readonly unknown[] {
  const common = listOf(one).filter((value) => listOf(other).includes(value));
  if (common.length === 0) throw new ImportFault("lists values that have none in common", pointer);
  return common;
}

function commonType(one: unknown, other: unknown, pointer: string): unknown {
  const [left = [], right = []] = [one, other].map((type): unknown[] =>
    Array.isArray(type) ? type : [type],
  );
  const has = (types: unknown[], type: unknown): boolean =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  // A whole number is also a number, so the narrower type `integer` remains.
  const common = [...new Set([...left, ...right])].filter(
    (type) =>
      has(left, type) && has(right, type) && !(type === "number" && isNarrowed(left, right)),
  );
  if (common.length === 0)
    throw new ImportFault(
      `must be of the types ${String(one)} and ${String(other)} at once`,
      pointer,
    );
  return common.length === 1 ? common[0] : common;
}

function isNarrowed(left: unknown[], right: unknown[]): boolean {
  return !left.includes("number") || !right.includes("number");
}
