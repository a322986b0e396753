import * as z from "zod/mini";
import type { Fault } from "../contract/faults.ts";
import type { Schema } from "../contract/schema.ts";

/** One schema for each property of `T`. Optional properties need `z.exactOptional`. */
export type Shape<T> = {
  [K in keyof T as string extends K ? never : K]-?: Record<never, never> extends Pick<T, K>
    ? z.ZodMiniExactOptional<z.ZodMiniType<Exclude<T[K], undefined>>>
    : z.ZodMiniType<T[K], T[K]>;
};

/** A rule about several fields of an object, which is checked only if every field is valid. */
export interface Rule<T> {
  /** The path of the field to which a fault of this rule points. */
  readonly path: readonly string[];
  readonly code: Fault["code"];
  /** The message: the end of a sentence that begins with the name of the field. */
  readonly message: string;
  readonly holds: (value: T) => boolean;
}

/** Creates the schema of a request: an object with exactly these properties. Any other property is refused. */
export function strict<T>(shape: Shape<T>, ...rules: readonly Rule<T>[]): Schema<T> {
  return schemaOf(z.strictObject(asZodShape(shape)), rules);
}

/**
 * Creates the schema of an answer: an object with these properties. Other properties are accepted, so that an
 * insurer's new field does not break clients.
 */
export function loose<T>(shape: Shape<T>): Schema<T> {
  return schemaOf(z.looseObject(asZodShape(shape)), []);
}

/**
 * Creates the schema of an object with these properties, and with other properties whose values have one type, like
 * the index signature of `T`.
 * @param others - the schema of every property that `shape` does not name
 */
export function objectWith<T>(
  shape: Shape<T>,
  others: z.ZodMiniType,
  ...rules: readonly Rule<T>[]
): Schema<T> {
  return schemaOf(z.catchall(z.object(asZodShape(shape)), others), rules);
}

/** Returns the zod schema inside a schema, for nesting, compiling or writing the JSON Schema. */
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
    // zod also runs this check if a field has the right type but the wrong format. The rules are checked even if the
    // object has unknown fields.
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
  // JSON Schema cannot express such a rule, so the OpenAPI documents describe the rule in words.
  const inWords = z.meta({
    "x-rules": rules.map(({ code, message, path }) => ({ path, code, message })),
  });
  // The shape has a schema for each property of `T`, so the object's output is `T`.
  return (rules.length > 0 ? object.check(checkRules, inWords) : object) as unknown as Schema<T>;
}
