import * as z from "zod/mini";

/** Equal for schemas that accept the same values: a text, or the schema itself where its rules cannot be compared. */
export type LeafKey = string | z.core.$ZodType;

/** Finds the key of a schema without nested schemas. */
export type LeafKeys = (schema: z.core.$ZodType) => LeafKey;

/** Thousands of fields have the same few schemas: with equal keys, the values of one are those of all. */
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

/** The type of a schema whose own rules are only its type; null for others. */
function kindOf(schema: z.core.$ZodType): string | null {
  // Every zod schema is one of the kinds of this union, which says more than its own type.
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
