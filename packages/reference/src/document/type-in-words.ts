import { namedRules } from "@insurance-gateway/core/runtime";
import type { JsonSchema } from "./open-api.ts";

/** A schema without a reference at its top and without the alternative `null`. */
export interface PlainSchema {
  readonly schema: JsonSchema;
  /** True if the value may also be null. */
  readonly nullable: boolean;
  /** The name of the component to which the schema refers; null without a reference. */
  readonly component: string | null;
}

export type Schemas = Readonly<Record<string, JsonSchema>>;

/**
 * Follows a schema's reference and removes `null` from the alternatives. Keywords beside the reference override the
 * keywords of the target.
 */
export function plainSchema(schema: JsonSchema, schemas: Schemas): PlainSchema {
  const { $ref, anyOf = [], type, ...beside } = schema;
  if ($ref !== undefined) {
    const component = $ref.replace("#/components/schemas/", "");
    const target = plainSchema(schemas[component] ?? {}, schemas);
    return { ...target, schema: { ...target.schema, ...beside }, component };
  }
  const [only, ...others] = anyOf.filter((one) => one.type !== "null");
  if (only !== undefined && others.length === 0) {
    const inner = plainSchema(only, schemas);
    return { ...inner, schema: { ...inner.schema, ...beside }, nullable: anyOf.length > 1 };
  }
  if (Array.isArray(type) && type.includes("null")) {
    const rest = type.filter((one) => one !== "null");
    const plain = { ...schema, type: rest.length === 1 ? rest[0] : rest };
    return { schema: plain, nullable: true, component: null };
  }
  return { schema, nullable: false, component: null };
}

/** Returns the alternatives of a value without null. */
export function alternativesOf({ anyOf = [], oneOf }: JsonSchema): readonly JsonSchema[] {
  return [...anyOf, ...(Array.isArray(oneOf) ? oneOf : [])].filter(
    (one) => one.type !== "null" && one["x-other"] !== true,
  );
}

/** Describes a type: `object or null`, `list of strings`, `date`. */
export function typeInWords(schema: JsonSchema, schemas: Schemas): string {
  const plain = plainSchema(schema, schemas);
  const names = [...namesOf(plain.schema, schemas), ...(plain.nullable ? ["null"] : [])];
  return [...new Set(names)].join(" or ");
}

function namesOf(schema: JsonSchema, schemas: Schemas): readonly string[] {
  const { additionalProperties, format, items, properties, type } = schema;
  if (schema["x-file"] !== undefined) return ["file"];
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return alternatives.map((one) => typeInWords(one, schemas));
  if (items !== undefined) return [`list of ${plural(typeInWords(items, schemas))}`];
  if (properties === undefined && isSchema(additionalProperties))
    return [`map of ${plural(typeInWords(additionalProperties, schemas))}`];
  const constant = "const" in schema ? [typeof schema["const"]] : [];
  const names = type === undefined ? constant : [type].flat();
  if (names.length === 0) return [properties === undefined ? "any value" : "object"];
  return names.map((name) => {
    if (name === "array") return "list";
    if (name !== "string" || format === undefined) return name;
    return format === "date" || format === "date-time" ? format : `string, ${format}`;
  });
}

function plural(name: string): string {
  if (name.startsWith("list of ")) return name.replace("list", "lists");
  return /^[a-z-]+$/.test(name) ? `${name}s` : `(${name})`;
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** Largest limit that texts mention; larger limits only follow from the maximum size of an answer. */
const MAX_MENTIONED_LIMIT = 10_000;

/** Describes the limits of a value as phrases: `1 to 200 characters`, `9 digits`. */
export function limitsInWords(schema: JsonSchema): readonly string[] {
  const number = (keyword: string): number | undefined => {
    const value = schema[keyword];
    return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER
      ? value
      : undefined;
  };
  const most = (keyword: string): number | undefined => {
    const value = number(keyword);
    return value === undefined || value > MAX_MENTIONED_LIMIT ? undefined : value;
  };
  const above = number("exclusiveMinimum");
  const below = number("exclusiveMaximum");
  const step = number("multipleOf");
  return [
    ...range(number("minLength"), most("maxLength"), "character"),
    ...(schema.pattern === undefined ? [] : patternInWords(schema.pattern)),
    ...range(number("minimum"), number("maximum"), ""),
    ...(above === undefined ? [] : [`more than ${above}`]),
    ...(below === undefined ? [] : [`less than ${below}`]),
    ...(step === undefined ? [] : [`a multiple of ${step}`]),
    ...range(number("minItems"), most("maxItems"), "item"),
    ...(schema["uniqueItems"] === true ? ["no item twice"] : []),
    ...range(number("minProperties"), number("maxProperties"), "field"),
    ...fileLimits(schema["x-file"]),
    ...rulesInWords(schema["x-rules"]),
  ];
}

function range(
  least: number | undefined,
  most: number | undefined,
  unit: string,
): readonly string[] {
  const counted = (count: number): string =>
    unit === "" ? String(count) : `${count} ${unit}${count === 1 ? "" : "s"}`;
  if (least !== undefined && most !== undefined)
    return [least === most ? `exactly ${counted(most)}` : `${least} to ${counted(most)}`];
  if (most !== undefined) return [`at most ${counted(most)}`];
  return least === undefined || (unit !== "" && least === 0) ? [] : [`at least ${counted(least)}`];
}

function patternInWords(pattern: string): readonly string[] {
  if (pattern === "^[\\s\\S]*$") return [];
  if (pattern === "\\S") return ["not blank"];
  const [, digits] = /^\^(?:\\d|\[0-9\])\{(\d+)\}\$$/.exec(pattern) ?? [];
  return [digits === undefined ? `matches \`${pattern}\`` : `${digits} digits`];
}

function fileLimits(rules: unknown): readonly string[] {
  if (typeof rules !== "object" || rules === null) return [];
  const { maxBytes, mediaTypes }: { readonly maxBytes?: unknown; readonly mediaTypes?: unknown } =
    rules;
  return [
    ...(Array.isArray(mediaTypes) ? [mediaTypes.join(", ")] : []),
    ...(typeof maxBytes === "number" ? [`at most ${maxBytes} bytes`] : []),
  ];
}

/**
 * Describes rules across fields; each text begins with the field's name. The rule `plainText`, which all texts have,
 * is omitted.
 */
function rulesInWords(rules: unknown): readonly string[] {
  if (!Array.isArray(rules)) return [];
  return rules
    .filter(({ message }) => message !== namedRules.plainText.message)
    .map(({ message, path = [] }) =>
      path.length === 0 ? String(message) : `\`${path.join(".")}\` ${message}`,
    );
}
