import type { JsonSchema } from "./open-api.ts";

/** A part of a schema that is a schema, and what it is of the whole. */
export interface Subschema {
  readonly schema: JsonSchema;
  /** The keyword it stands under. */
  readonly keyword: string;
  /** The property's name, or the place in a list; null where there is one alone. */
  readonly place: string | null;
}

const single = ["items", "additionalProperties", "propertyNames", "contains", "not"];
const lists = ["anyOf", "oneOf", "allOf", "prefixItems"];
const maps = ["properties", "patternProperties", "$defs"];

/** Gives a schema with every part that is a schema put through a function (JSON Schema 2020-12, section 10). */
export function mapSubschemas(
  schema: JsonSchema,
  change: (part: Subschema) => JsonSchema,
): JsonSchema {
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (single.includes(keyword) && isSchema(value))
      return [keyword, change({ schema: value, keyword, place: null })] as const;
    if (lists.includes(keyword) && Array.isArray(value))
      return [
        keyword,
        value.map((member: JsonSchema, index) =>
          change({ schema: member, keyword, place: String(index) }),
        ),
      ] as const;
    if (maps.includes(keyword) && isSchema(value)) return [keyword, mapped(keyword, value, change)];
    return [keyword, value] as const;
  });
  return Object.fromEntries(entries);
}

function mapped(
  keyword: string,
  value: JsonSchema,
  change: (part: Subschema) => JsonSchema,
): JsonSchema {
  const entries = Object.entries(value).map(
    ([place, part]) =>
      // Under these keywords every value is a schema.
      [place, change({ schema: part as JsonSchema, keyword, place })] as const,
  );
  return Object.fromEntries(entries);
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
