import type * as z from "zod/mini";

/** The result of a schema for a value. */
interface Result {
  readonly value: unknown;
  readonly issues: readonly z.core.$ZodRawIssue[];
}

/** The context of one parse, which zod passes to every schema inside. */
interface Context extends z.core.ParseContextInternal {
  "~checked"?: Map<z.core.$ZodType, WeakMap<object, Result>>;
}

/**
 * Lets a schema check an object only once in each parse. Recursive alternatives would otherwise check the same object
 * again for each alternative of each level around it, in exponential time.
 */
export function checkedOnce(schema: z.core.$ZodType): void {
  const { _zod: internals } = schema;
  const parse = internals.parse.bind(internals);
  internals.parse = (payload, context: Context) => {
    const { value } = payload;
    if (typeof value !== "object" || value === null) return parse(payload, context);
    context["~checked"] ??= new Map();
    const results = context["~checked"].get(schema) ?? new WeakMap<object, Result>();
    context["~checked"].set(schema, results);
    const known = results.get(value);
    if (known !== undefined) {
      payload.value = known.value;
      payload.issues.push(...known.issues.map(copied));
      return payload;
    }
    const result = parse(payload, context);
    if (!(result instanceof Promise))
      results.set(value, { value: result.value, issues: result.issues.map(copied) });
    return result;
  };
}

/** Schemas around it change the path of an issue in place. */
function copied(issue: z.core.$ZodRawIssue): z.core.$ZodRawIssue {
  return issue.path === undefined ? { ...issue } : { ...issue, path: [...issue.path] };
}
