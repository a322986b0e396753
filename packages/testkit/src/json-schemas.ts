import type { Schema } from "@insurance-gateway/core/contract";
import { pointerNames } from "@insurance-gateway/core/runtime";
import { zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

/** A JSON Schema, or an arbitrary object in place of a JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Returns the JSON Schema of a schema; without a schema, an empty JSON Schema. */
export function jsonSchemaOf(schema: Schema<unknown> | undefined): JsonSchema {
  return schema === undefined ? {} : asSchema(z.toJSONSchema(zod(schema)));
}

/** Returns the schema of the value at a JSON Pointer, or undefined. An index in the pointer means every list item. */
export function schemaAt(schema: JsonSchema, pointer: string): JsonSchema | undefined {
  let place: JsonSchema | undefined = schema;
  for (const name of pointerNames(pointer)) {
    const { items, ...object } = withoutNull(place);
    const properties = asSchema(object.properties);
    if (Object.hasOwn(properties, name)) place = asSchema(properties[name]);
    else if (items !== undefined && /^\d+$/.test(name)) place = asSchema(items);
    else return undefined;
  }
  return withoutNull(place);
}

/** Returns the values that an enumeration schema lists, or undefined for another schema. */
export function wordsOf(schema: JsonSchema): readonly unknown[] | undefined {
  const listed = schema["x-extensible-enum"] ?? schema.enum ?? schema.const;
  return listed === undefined ? undefined : [listed].flat();
}

/** Reports whether the field at a JSON Pointer and every field above it are required. */
export function isRequired(schema: JsonSchema, pointer: string): boolean {
  let place = schema;
  return pointerNames(pointer).every((name) => {
    const { properties, required } = withoutNull(place);
    place = asSchema(asSchema(properties)[name]);
    return Array.isArray(required) && required.includes(name);
  });
}

/** Returns the schema of a nullable value, without null. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const alternatives: unknown = schema.anyOf;
  const types: unknown = schema.type;
  if (Array.isArray(types)) return { ...schema, type: types.find((type) => type !== "null") };
  if (!Array.isArray(alternatives)) return schema;
  return alternatives.map(asSchema).find(({ type }) => type !== "null") ?? schema;
}

/** Returns a value as a JSON Schema, or an empty JSON Schema if it is not an object. */
export function asSchema(value: unknown): JsonSchema {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Reports whether a schema returns every checked value unchanged. */
export function readsWhatWasSent(schema: Schema<unknown>): boolean {
  const sent = wireSchema(schema, "input");
  return sent !== null && sent === wireSchema(schema, "output");
}

/** Types of schemas whose values are neither JSON, text nor a file. */
const NOT_ON_WIRE: readonly string[] = [
  "transform",
  "bigint",
  "date",
  "map",
  "set",
  "symbol",
  "undefined",
  "void",
  "nan",
  "function",
];

/** Returns the JSON Schema of the sent or received value; null if the value cannot be sent, as after a transform. */
function wireSchema(schema: Schema<unknown>, io: "input" | "output"): string | null {
  let isOnWire = true;
  const described = z.toJSONSchema(zod(schema), {
    io,
    // A file has no JSON Schema.
    unrepresentable: "any",
    override({
      zodSchema: {
        _zod: { def },
      },
    }) {
      if (NOT_ON_WIRE.includes(def.type)) isOnWire = false;
    },
  });
  return isOnWire ? JSON.stringify(described) : null;
}
