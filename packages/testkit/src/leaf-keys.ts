import * as z from "zod/mini";

/** A key that is equal for schemas with the same valid values: a text, or the schema itself if it is not comparable. */
export type LeafKey = string | z.core.$ZodType;

/** A function that returns the key of a schema without nested schemas. */
export type LeafKeys = (schema: z.core.$ZodType) => LeafKey;

/** Creates a function that returns keys of schemas. Thousands of fields have equal schemas and share their values. */
export function newLeafKeys(): LeafKeys {
  const functions = new Map<unknown, number>();
  const numberOf = (rule: unknown): number => {
    const number = functions.get(rule) ?? functions.size;
    functions.set(rule, number);
    return number;
  };
  return (schema) => {
    const kind = kindOf(schema);
    if (kind === null) return schema;
    const rules: number[] = [];
    for (const { _zod: check } of checksOf(schema)) {
      if (check.def.check === "meta") continue;
      if (!("fn" in check.def)) return schema;
      rules.push(numberOf(check.def.fn));
    }
    return JSON.stringify([kind, rules, z.globalRegistry.get(schema) ?? {}]);
  };
}

function checksOf({ _zod: { def } }: z.core.$ZodType): readonly z.core.$ZodCheck[] {
  return def.checks ?? [];
}

/** Returns the type of a schema that has no other rule; null for other schemas. */
function kindOf(schema: z.core.$ZodType): string | null {
  // Every zod schema is a member of this union, which is more specific than its declared type.
  const {
    _zod: { def },
  } = schema as z.core.$ZodTypes;
  switch (def.type) {
    case "string":
      return "format" in def || def.coerce === true ? null : "string";
    case "number":
      return def.coerce === true ? null : `number ${"format" in def ? String(def.format) : ""}`;
    case "boolean":
      return def.coerce === true ? null : "boolean";
    case "unknown":
      return "unknown";
    default:
      return null;
  }
}
