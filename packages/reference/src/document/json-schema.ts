import type { Schema } from "@insurance-gateway/core/contract";
import { isRuleName, namedRules, type RuleName } from "@insurance-gateway/core/runtime";
import { zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
import type { JsonSchema } from "./open-api.ts";
import { mapSubschemas } from "./subschemas.ts";

/**
 * The direction of a value: a request to the insurer, or the insurer's answer. The gateway limits the size of both
 * messages.
 */
export type Direction = "request" | "answer";

/** Maximum length of a string or list: the maximum size of a body in bytes (`docs/decisions.md`, "Defaults"). */
const maxLengths: Readonly<Record<Direction, number>> = { request: 65_536, answer: 2_097_152 };

/** Minimum size of a list item in bytes: a digit and a comma. */
const SHORTEST_ITEM_BYTES = 2;

const INT32_MAXIMUM = 2_147_483_647;

/**
 * Converts a declared schema to an equivalent JSON Schema.
 * @param names - type names by schema; `x-type` contains the name of each nested schema
 */
export function jsonSchemaOf(
  schema: Schema<unknown>,
  names: ReadonlyMap<unknown, string> = new Map(),
): JsonSchema {
  // zod's type differs from this project's type in some keywords, but the text is the same.
  const { $schema: _, ...written } = z.toJSONSchema(zod(schema), {
    // JSON Schema cannot describe a file, so `x-file` describes the file.
    unrepresentable: "any",
    override({ jsonSchema, zodSchema }) {
      // `format` already limits the text as zod's own pattern does.
      const { _zod: internals } = zodSchema;
      if ("format" in internals.def && hasLimitingFormat(jsonSchema)) delete jsonSchema.pattern;
      const name = names.get(zodSchema);
      if (name !== undefined) Reflect.set(jsonSchema, "x-type", name);
    },
  }) as JsonSchema;
  return withoutOpenProperties(written);
}

/**
 * Omits the keyword `additionalProperties` if the keyword allows every value. Answers, for example, may have new
 * fields.
 */
function withoutOpenProperties(node: JsonSchema): JsonSchema {
  const { additionalProperties, ...rest } = node;
  const isFree = JSON.stringify(additionalProperties) === "{}";
  return mapSubschemas(isFree ? rest : node, ({ schema }) => withoutOpenProperties(schema));
}

/**
 * Adds to a provider's schema the parts that are the same for all providers: the gateway's limits, and the texts of
 * core's rules.
 */
export function completeSchema(node: JsonSchema, direction: Direction): JsonSchema {
  const whole = mapSubschemas(node, ({ schema }) => completeSchema(schema, direction));
  return inWords(keywords(whole, direction));
}

/** Reports whether a schema in an answer differs from the same schema in a request. */
export function differsByDirection(node: JsonSchema): boolean {
  const [sent, answered] = (["request", "answer"] as const).map((direction) =>
    JSON.stringify(completeSchema(node, direction)),
  );
  return sent !== answered;
}

/** Replaces the names of core's rules by their texts. */
function inWords(node: JsonSchema): JsonSchema {
  const rules = node["x-rules"];
  if (!Array.isArray(rules)) return node;
  const worded = rules.map(({ rule, ...rest }: { readonly rule?: unknown }) =>
    isRuleName(rule) ? { ...rest, ...namedRules[rule] } : rest,
  );
  return { ...node, "x-rules": worded };
}

function keywords(node: JsonSchema, direction: Direction): JsonSchema {
  if (node["x-file"] !== undefined) return node;
  if (hasType(node, "string")) return ofString(node, direction);
  if (hasType(node, "array"))
    return { maxItems: Math.floor(maxLengths[direction] / SHORTEST_ITEM_BYTES), ...node };
  if (hasType(node, "integer")) return ofInteger(node);
  return node;
}

/**
 * The values of `format` that already limit a text. Generated clients have separate types for most of these formats. A
 * client would fail for every value if a schema added a pattern or a length.
 */
const limitingFormats: readonly string[] = [
  "date",
  "date-time",
  "duration",
  "email",
  "ipv4",
  "ipv6",
  "time",
  "uri",
  "uri-reference",
  "uuid",
];

/** Reports whether a schema's `format` already limits the length and the characters of a text. */
export function hasLimitingFormat({ format }: Pick<JsonSchema, "format">): boolean {
  return format !== undefined && limitingFormats.includes(format);
}

function ofString(node: JsonSchema, direction: Direction): JsonSchema {
  if (hasLimitingFormat(node)) return node;
  const { enum: values, ...rest } = node;
  // With a closed list, a generated client would refuse an answer with a new value.
  if (direction === "answer" && values !== undefined)
    return ofString({ ...rest, "x-extensible-enum": values }, direction);
  // A closed list of values needs no further limits.
  if (values !== undefined || node.const !== undefined) return node;
  const limited = { maxLength: maxLengths[direction], pattern: "^[\\s\\S]*$", ...node };
  // A declared format allows only letters and digits, so core's rule for plain texts would forbid nothing.
  if (direction === "answer" || node.format !== undefined) return limited;
  const rules = Array.isArray(node["x-rules"]) ? node["x-rules"] : [];
  return { ...limited, "x-rules": [...rules, { path: [], rule: "plainText" satisfies RuleName }] };
}

function ofInteger(node: JsonSchema): JsonSchema {
  const {
    exclusiveMinimum,
    format,
    maximum = Number.MAX_SAFE_INTEGER,
    minimum,
  }: JsonSchema & {
    readonly exclusiveMinimum?: number;
    readonly format?: string;
    readonly maximum?: number;
    readonly minimum?: number;
  } = node;
  const least = minimum ?? (exclusiveMinimum ?? Number.MIN_SAFE_INTEGER - 1) + 1;
  const { exclusiveMinimum: _, ...rest } = node;
  const usual = maximum <= INT32_MAXIMUM && least >= -INT32_MAXIMUM - 1 ? "int32" : "int64";
  return { ...rest, format: format ?? usual, minimum: least, maximum };
}

function hasType({ type }: JsonSchema, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}
