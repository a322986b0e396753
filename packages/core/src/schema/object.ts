import * as z from "zod/mini";
import type { Fault } from "../contract/faults.ts";
import type { Schema } from "../contract/schema.ts";

/** One schema for each property of `T`, no more and no fewer: optional properties need `z.exactOptional`. */
export type Shape<T> = {
  [K in keyof T as string extends K ? never : K]-?: Record<never, never> extends Pick<T, K>
    ? z.ZodMiniExactOptional<z.ZodMiniType<Exclude<T[K], undefined>>>
    : z.ZodMiniType<T[K], T[K]>;
};

/** A rule across several fields of an object. It is checked only if every field is valid. */
export interface Rule<T> {
  /** The path of the field that the fault names. */
  readonly path: readonly string[];
  readonly code: Fault["code"];
  /** The rule in words, as the end of a sentence that begins with the field. */
  readonly message: string;
  readonly holds: (value: T) => boolean;
}

/** The schema of a request: an object with exactly these properties, any other is refused. */
export function strict<T>(shape: Shape<T>, ...rules: readonly Rule<T>[]): Schema<T> {
  return schemaOf(z.strictObject(asZodShape(shape)), rules);
}

/**
 * The schema of an answer: an object with these properties; others are accepted, so that an insurer's new field breaks
 * no client.
 */
export function loose<T>(shape: Shape<T>): Schema<T> {
  return schemaOf(z.looseObject(asZodShape(shape)), []);
}

/**
 * An object with these properties and others whose values have one type, as the index signature of `T` says.
 * @param others - the schema of every property that `shape` does not name
 */
export function objectWith<T>(
  shape: Shape<T>,
  others: z.ZodMiniType,
  ...rules: readonly Rule<T>[]
): Schema<T> {
  return schemaOf(z.catchall(z.object(asZodShape(shape)), others), rules);
}

/** Returns the zod schema inside a schema, to nest it in another, to compile it, or to write its JSON Schema. */
export function zod<T>(schema: Schema<T>): z.ZodMiniType<T, T> {
  // `strict`, `loose`, `objectWith` and `zodSchema` create every Schema from a zod schema.
  return schema as unknown as z.ZodMiniType<T, T>;
}

/** Creates a schema from a zod schema that is not an object, such as a list. */
export function zodSchema<T>(schema: z.ZodMiniType<T, T>): Schema<T> {
  return schema;
}

function asZodShape<T>(shape: Shape<T>): Readonly<Record<string, z.ZodMiniType>> {
  return shape;
}

function schemaOf<T>(object: z.ZodMiniType, rules: readonly Rule<T>[]): Schema<T> {
  const checkRules = z.check((context) => {
    // zod runs this check also if a field has the right type and a wrong format. An unknown field does not matter.
    if (context.issues.some((issue) => issue.code !== "unrecognized_keys")) return;
    for (const rule of rules) {
      // Every field is valid, so the value is `T`.
      if (rule.holds(context.value as T)) continue;
      context.issues.push({
        code: "custom",
        path: [...rule.path],
        message: rule.message,
        params: { code: rule.code },
        input: context.value,
      });
    }
  });
  // JSON Schema cannot express such a rule, so documents contain it in words.
  const inWords = z.meta({
    "x-rules": rules.map(({ code, message, path }) => ({ path, code, message })),
  });
  // The shape has a schema for each property of `T`, so the object's output is `T`.
  return (rules.length > 0 ? object.check(checkRules, inWords) : object) as unknown as Schema<T>;
}
