import type { Schema } from "@insurance-gateway/core/contract";
import { pointerNames } from "@insurance-gateway/core/runtime";
import { zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

/** A JSON Schema, or what should be one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON Schema of a declared one; an empty one for none. */
export function jsonSchemaOf(schema: Schema<unknown> | undefined): JsonSchema {
  return schema === undefined ? {} : asSchema(z.toJSONSchema(zod(schema)));
}

/** The schema at a JSON Pointer, in which an index stands for every item; or undefined. */
export function schemaAt(schema: JsonSchema, pointer: string): JsonSchema | undefined {
  let place: JsonSchema | undefined = schema;
  for (const name of pointerNames(pointer)) {
    const { items, ...object } = present(place);
    const properties = asSchema(object.properties);
    if (Object.hasOwn(properties, name)) place = asSchema(properties[name]);
    else if (items !== undefined && /^\d+$/.test(name)) place = asSchema(items);
    else return undefined;
  }
  return present(place);
}

/** The words that a schema lists; undefined if it lists none. */
export function wordsOf(schema: JsonSchema): readonly unknown[] | undefined {
  const listed = schema["x-extensible-enum"] ?? schema.enum ?? schema.const;
  return listed === undefined ? undefined : [listed].flat();
}

/** Reports whether the field at a JSON Pointer and everything above it is required. */
export function isRequired(schema: JsonSchema, pointer: string): boolean {
  let place = schema;
  return pointerNames(pointer).every((name) => {
    const { properties, required } = present(place);
    place = asSchema(asSchema(properties)[name]);
    return Array.isArray(required) && required.includes(name);
  });
}

/** The schema of a nullable value without null. */
function present(schema: JsonSchema): JsonSchema {
  const alternatives: unknown = schema.anyOf;
  const types: unknown = schema.type;
  if (Array.isArray(types)) return { ...schema, type: types.find((type) => type !== "null") };
  if (!Array.isArray(alternatives)) return schema;
  return alternatives.map(asSchema).find(({ type }) => type !== "null") ?? schema;
}

/** A value as a schema, or an empty schema if it is not one. */
export function asSchema(value: unknown): JsonSchema {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Reports whether a schema returns the value unchanged. */
export function readsWhatWasSent(schema: Schema<unknown>): boolean {
  const sent = wireSchema(schema, "input");
  return sent !== null && sent === wireSchema(schema, "output");
}

/** Kinds of schemas whose values are neither JSON, text nor a file. */
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

/** The JSON Schema of what is sent, or of what is read; null for what cannot be sent, such as what a transform makes. */
function wireSchema(schema: Schema<unknown>, io: "input" | "output"): string | null {
  let isOnWire = true;
  const described = z.toJSONSchema(zod(schema), {
    io,
    // A file has no JSON Schema of its own.
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
