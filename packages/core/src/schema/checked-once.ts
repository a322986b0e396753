import type * as z from "zod/mini";

/** The result of checking a value against a schema. */
interface SchemaResult {
  readonly value: unknown;
  readonly issues: readonly z.core.$ZodRawIssue[];
}

/** The context of one parse, which zod passes to every nested schema. */
interface ParseContext extends z.core.ParseContextInternal {
  "~checked"?: Map<z.core.$ZodType, WeakMap<object, SchemaResult>>;
}

/**
 * Makes a schema check each object only once in each parse. Otherwise, recursive alternatives would check the same
 * object again for each alternative of each level, in exponential time.
 */
export function checkedOnce(schema: z.core.$ZodType): void {
  const { _zod: internals } = schema;
  const parse = internals.parse.bind(internals);
  internals.parse = (payload, context: ParseContext) => {
    const { value } = payload;
    if (typeof value !== "object" || value === null) return parse(payload, context);
    context["~checked"] ??= new Map();
    const results = context["~checked"].get(schema) ?? new WeakMap<object, SchemaResult>();
    context["~checked"].set(schema, results);
    const known = results.get(value);
    if (known !== undefined) {
      payload.value = known.value;
      payload.issues.push(...known.issues.map(copyIssue));
      return payload;
    }
    const result = parse(payload, context);
    if (!(result instanceof Promise))
      results.set(value, { value: result.value, issues: result.issues.map(copyIssue) });
    return result;
  };
}

/** Copies an issue, because the outer schemas change its path in place. */
function copyIssue(issue: z.core.$ZodRawIssue): z.core.$ZodRawIssue {
  return issue.path === undefined ? { ...issue } : { ...issue, path: [...issue.path] };
}
