import type { JsonSchema } from "./open-api.ts";

/** A schema inside another schema, with the place in that schema. */
export interface Subschema {
  readonly schema: JsonSchema;
  /** The keyword that contains the subschema. */
  readonly keyword: string;
  /** The property's name or the index in a list; null if the keyword has a single schema. */
  readonly place: string | null;
}

const single = ["items", "additionalProperties", "propertyNames", "contains", "not"];
const lists = ["anyOf", "oneOf", "allOf", "prefixItems"];
const maps = ["properties", "patternProperties", "$defs"];

/** Returns a copy of a schema, with every direct subschema replaced by a function (JSON Schema 2020-12, section 10). */
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
      // Every value of these keywords is a schema.
      [place, change({ schema: part as JsonSchema, keyword, place })] as const,
  );
  return Object.fromEntries(entries);
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
