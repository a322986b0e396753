import { isObject, type JsonObject, listOf, textOf } from "../document/references.ts";
import type { Scalar } from "./model.ts";

/** Returns the keywords of a schema that no declaration can express. */
export function uncheckedIn(schema: JsonObject): readonly string[] {
  return UNCHECKED.filter((keyword) => schema[keyword] !== undefined);
}

const UNCHECKED: readonly string[] = [
  "not",
  "if",
  "patternProperties",
  "propertyNames",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "contains",
  "prefixItems",
  "unevaluatedItems",
];

/** Matches members of a schema that do not change which values the schema accepts. */
const ANNOTATIONS =
  /^(title|description|summary|example|examples|default|deprecated|readOnly|writeOnly|externalDocs|xml|nullable|\$comment|\$id|\$anchor|x-.*)$/;

/** Reports whether the members of a schema allow every value; references are not followed. */
export function isFree(schema: JsonObject): boolean {
  return Object.keys(schema).every((keyword) => ANNOTATIONS.test(keyword));
}

/** Returns the reference of a schema that only refers to another schema. */
export function soleReference(schema: JsonObject): string | undefined {
  const { $ref, allOf, ...beside } = schema;
  if (!isFree(beside)) return undefined;
  if (typeof $ref === "string" && allOf === undefined) return $ref;
  const [only, ...others] = listOf(allOf);
  if ($ref !== undefined || others.length > 0 || !isObject(only)) return undefined;
  return typeof only.$ref === "string" && Object.keys(only).length === 1 ? only.$ref : undefined;
}

/** Returns the types of a schema without null. A schema without `type` has the types that its other members imply. */
export function typesOf(schema: JsonObject): readonly string[] {
  const { items, properties, required, type } = schema;
  const said = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
  const types = said.filter((one) => one !== "null");
  if (types.length > 0) return [...new Set(types)];
  if (said.length > 0) return ["null"];
  if (properties !== undefined || required !== undefined || isObject(schema.additionalProperties))
    return ["object"];
  if (items !== undefined) return ["array"];
  if (
    schema.contentMediaType !== undefined ||
    schema.pattern !== undefined ||
    schema.minLength !== undefined ||
    schema.maxLength !== undefined
  )
    return ["string"];
  return ["anything"];
}

/** Reports whether a schema accepts null. */
export function isNullable({ nullable, type }: JsonObject): boolean {
  return nullable === true || (Array.isArray(type) && type.length > 1 && type.includes("null"));
}

/** Returns the known values of a text (`x-extensible-enum`) that no other rule limits. */
export function knownWords(schema: JsonObject): readonly string[] {
  const { format, maxLength, minLength, pattern, type, "x-extensible-enum": words } = schema;
  const isPlain = [format, maxLength, minLength, pattern].every((rule) => rule === undefined);
  const isText = type === undefined || [type].flat().includes("string");
  const found = isPlain && isText ? listOf(words) : [];
  return [...new Set(found.filter((word) => typeof word === "string"))];
}

/** Reports whether an enumeration can contain a value. */
export function isScalar(value: unknown): value is Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Returns the members that are numbers. */
export function numbersOf<Names extends string>(
  members: Readonly<Record<Names, unknown>>,
): Partial<Record<Names, number>> {
  const numbers = Object.entries(members).filter(([, value]) => Number.isFinite(value));
  // All names are from `members`, and their values are numbers.
  return Object.fromEntries(numbers) as Partial<Record<Names, number>>;
}

/** Returns the text for the doc comment of a type: the schema's description, or otherwise the title. */
export function descriptionOf(schema: JsonObject): string {
  return textsOf(schema, textOf(schema.description) ?? textOf(schema.title) ?? "");
}

/** Returns a description together with the texts of keywords, and of alternatives that do not become separate types. */
export function textsOf(
  { anyOf, default: usual, deprecated, oneOf }: JsonObject,
  description: string,
): string {
  const value = typeof usual === "string" ? usual : JSON.stringify(usual ?? null);
  const sentences = [
    // The note on deprecation is first, because the end of a long description is cut.
    deprecated === true ? "Deprecated by the insurer." : "",
    description,
    ...[...listOf(oneOf), ...listOf(anyOf)].filter(isObject).map(alternativeText),
    value === "null" ? "" : `Default: \`${value}\`.`,
  ];
  return sentences.filter((sentence) => sentence !== "").join("\n");
}

/**
 * Returns the text of an alternative without fields, together with its only value; "" for an alternative that becomes a
 * type.
 */
function alternativeText(alternative: JsonObject): string {
  const { const: only, description, enum: values, title } = alternative;
  const text = textOf(description) ?? textOf(title) ?? "";
  const isType = ["$ref", "allOf", "anyOf", "oneOf", "properties"].some((name) =>
    Object.hasOwn(alternative, name),
  );
  if (isType || text === "") return "";
  const [value = only, ...others] = listOf(values);
  return isScalar(value) && others.length === 0
    ? `- \`${JSON.stringify(value)}\`: ${text}`
    : `- ${text}`;
}
