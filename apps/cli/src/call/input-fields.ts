import type { Endpoint } from "@insurance-gateway/core/contract";
import { bodyMediaOf } from "@insurance-gateway/core/runtime";
import { zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

/** A JSON Schema in the form that zod writes. */
export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The part of a request that contains a value. */
export type InputPlace = "path" | "query" | "header" | "body";

/** One value of an endpoint's input: a parameter, or a field of the body without inner fields. */
export interface InputField {
  readonly place: InputPlace;
  /**
   * The nested field names that lead to the value in this part of the request; empty for a body that is not an object.
   */
  readonly keys: readonly string[];
  /** The JSON Pointer by which faults name the value. */
  readonly pointer: string;
  readonly schema: JsonSchema;
  /** True if the request must have the field. If `nullable` is also true, the field's value may be null. */
  readonly required: boolean;
  readonly nullable: boolean;
}

/** Returns the values of an endpoint's input in the order of their declaration. */
export function inputFieldsOf(endpoint: Endpoint): readonly InputField[] {
  const { headers, params, query } = endpoint;
  const part = (place: InputPlace, schema: typeof params, prefix: string): readonly InputField[] =>
    schema === undefined
      ? []
      : leafFieldsOf(z.toJSONSchema(zod(schema), { unrepresentable: "any" }), [], true).map(
          (leaf) => ({
            ...leaf,
            place,
            pointer: prefix + leaf.keys.map((key) => `/${escapeKey(key)}`).join(""),
          }),
        );
  return [
    ...part("path", params, "/path"),
    ...part("query", query, "/query"),
    ...part("header", headers, "/headers"),
    ...part("body", bodyMediaOf(endpoint, ["json", "form", "multipart"])?.schema, ""),
  ];
}

type LeafField = Omit<InputField, "place" | "pointer">;

function leafFieldsOf(
  declared: JsonSchema,
  keys: readonly string[],
  required: boolean,
): readonly LeafField[] {
  const { nullable, schema } = withoutNull(declared);
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return [{ keys, schema, required, nullable }];
  return properties.flatMap(([name, property]) =>
    leafFieldsOf(
      typeof property === "object" ? property : {},
      [...keys, name],
      required && (schema.required?.includes(name) ?? false),
    ),
  );
}

/** Returns a schema without the alternative null, and whether the schema allows null. */
function withoutNull(schema: JsonSchema): {
  readonly schema: JsonSchema;
  readonly nullable: boolean;
} {
  const { anyOf, type } = schema;
  if (Array.isArray(type) && type.includes("null")) {
    const others = type.filter((name) => name !== "null");
    const [only, ...more] = others;
    const rest = only === undefined || more.length > 0 ? others : only;
    return { schema: { ...schema, type: rest }, nullable: true };
  }
  const others = anyOf?.filter((one) => typeof one !== "object" || one.type !== "null") ?? [];
  if (anyOf === undefined || others.length === anyOf.length) return { schema, nullable: false };
  const [only, ...more] = others;
  return { schema: more.length === 0 && typeof only === "object" ? only : schema, nullable: true };
}

/** Escapes a name for a JSON Pointer (RFC 6901). */
function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
