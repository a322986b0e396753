import * as z from "zod/mini";
import { zod } from "../schema/object.ts";
import type { Schema } from "./schema.ts";

/** The declared type of a parameter. The parameter's text is converted to this type. */
export type ScalarType = "string" | "number" | "boolean";

/**
 * The format of a parameter, derived from its schema: one text, a list that is `repeated` (`?a=1&a=2`) or `joined`
 * (`?a=1,2`), or an object whose fields are in brackets (`?filter[a]=1`, OpenAPI's `deepObject`).
 */
export type ParameterForm = { readonly required: boolean } & (
  | { readonly style: "scalar" | "repeated" | "joined"; readonly type: ScalarType }
  | { readonly style: "object"; readonly fields: Readonly<Record<string, ScalarType>> }
  /** Why the value cannot be written and read again without a change, as the end of a sentence. */
  | { readonly style: "none"; readonly fault: string }
);

/** The format of every parameter of a schema, by parameter name. */
export type ParameterForms = Readonly<Record<string, ParameterForm>>;

/** Derives the format of each parameter from the schema. The result is empty if the schema is not an object. */
export function parameterForms(schema: Schema<unknown>): ParameterForms {
  return Object.fromEntries(
    Object.entries(shapeOf(schema)).map(([name, property]) => [name, parameterFormOf(property)]),
  );
}

/** Returns the names of the parameters of a schema. */
export function parameterNames(schema: Schema<unknown>): readonly string[] {
  return Object.keys(shapeOf(schema));
}

/** Reports whether a schema declares a parameter as a list that is written as one text (`?a=1,2`). */
export function isJoinedIn(schema: Schema<unknown>, name: string): boolean {
  const property = shapeOf(schema)[name];
  return property !== undefined && isJoined(unwrapSchema(property).schema);
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;

function shapeOf(schema: Schema<unknown>): Shape {
  const { def } = internalsOf(zod(schema));
  return def.type === "object" ? def.shape : {};
}

/** Returns the definition of a schema. Every zod schema is a member of this union. */
function internalsOf(schema: z.core.$ZodType): z.core.$ZodTypes["_zod"] {
  const { _zod: internals } = schema as z.core.$ZodTypes;
  return internals;
}

function unwrapSchema(schema: z.core.$ZodType): {
  readonly schema: z.core.$ZodType;
  readonly required: boolean;
} {
  const { def } = internalsOf(schema);
  if (def.type === "optional")
    return { schema: unwrapSchema(def.innerType).schema, required: false };
  return def.type === "readonly" ? unwrapSchema(def.innerType) : { schema, required: true };
}

/** Reports whether a list is written as one text (`joined` in `@insurance-gateway/core/schema`). */
function isJoined(schema: z.core.$ZodType): boolean {
  return z.globalRegistry.get(schema)?.["x-joined"] === true;
}

function parameterFormOf(property: z.core.$ZodType): ParameterForm {
  const { required, schema } = unwrapSchema(property);
  const { def } = internalsOf(schema);
  const none = (fault: string): ParameterForm => ({ required, style: "none", fault });
  if (def.type === "array") {
    const type = scalarOf(def.element);
    if (type === null) return none("is a list of items that cannot be written as a text");
    if (!(def.checks ?? []).some(refusesEmptyList))
      return none("is a list that may be empty, which cannot be written: give it a minLength of 1");
    return { required, style: isJoined(schema) ? "joined" : "repeated", type };
  }
  if (def.type === "object") {
    const fields = Object.entries(def.shape).map(([name, field]) => {
      const inner = unwrapSchema(field);
      return { name, type: scalarOf(inner.schema), required: inner.required };
    });
    if (!fields.every(isWritable))
      return none("is an object with a field that cannot be written as a text");
    if (!fields.some((field) => field.required))
      return none("is an object that may be empty, which cannot be written: require a field");
    return {
      required,
      style: "object",
      fields: Object.fromEntries(fields.map(({ name, type }) => [name, type])),
    };
  }
  const type = scalarOf(schema);
  return type === null
    ? none("has a type that cannot be written as a text and read again without a change")
    : { required, style: "scalar", type };
}

/** Reports whether a rule of a list schema refuses an empty list. */
function refusesEmptyList(check: z.core.$ZodCheck): boolean {
  // Every check is a member of this union, which is more specific than the type that zod declares.
  const {
    _zod: { def },
  } = check as z.core.$ZodChecks;
  return (
    (def.check === "min_length" && def.minimum >= 1) ||
    (def.check === "length_equals" && def.length >= 1)
  );
}

function isWritable<Field extends { readonly name: string; readonly type: ScalarType | null }>(
  field: Field,
): field is Field & { readonly type: ScalarType } {
  return field.type !== null && !/[[\]]/.test(field.name);
}

/** Returns the type to which a text is converted; null if a text cannot represent the values, such as null. */
function scalarOf(schema: z.core.$ZodType): ScalarType | null {
  const { def } = internalsOf(schema);
  switch (def.type) {
    case "string":
    case "template_literal":
      return "string";
    case "number":
    case "boolean":
      return def.type;
    case "enum":
      return commonType(Object.values(def.entries).map(typeOfValue));
    case "literal":
      return commonType(def.values.map(typeOfValue));
    case "union":
      return commonType(def.options.map(scalarOf));
    case "readonly":
      return scalarOf(def.innerType);
    default:
      return null;
  }
}

function commonType(types: readonly (ScalarType | null)[]): ScalarType | null {
  const [first = null] = types;
  return types.every((type) => type === first) ? first : null;
}

function typeOfValue(value: unknown): ScalarType | null {
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : null;
}
