import type { Schema } from "@insurance-gateway/core/contract";
import { zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

/** The keywords of JSON Schema (2020-12) that the comparison reads. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  /** Absent or `{}` if undeclared fields are accepted; false if they are refused; the schema of a map's values. */
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema | boolean;
  readonly prefixItems?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly "x-extensible-enum"?: readonly string[];
}

/** A JSON Schema, with a function that resolves its references. */
export interface SchemaDocument {
  readonly root: JsonSchema;
  /** Returns the schema to which a node refers, or the node itself. */
  readonly resolved: (node: JsonSchema) => JsonSchema;
}

/** Converts a declared schema to JSON Schema. */
export function schemaDocumentOf(schema: Schema<unknown>): SchemaDocument {
  // The type in zod has more keywords; the keywords of `JsonSchema` have the same meaning there.
  const root = z.toJSONSchema(zod(schema), { unrepresentable: "any" }) as JsonSchema;
  const resolved = (node: JsonSchema): JsonSchema => {
    if (node.$ref === undefined) return node;
    const name = /^#\/\$defs\/(.+)$/.exec(node.$ref)?.[1];
    return (name === undefined ? root : root.$defs?.[name]) ?? {};
  };
  return { root, resolved };
}

/** Returns the schema for the values of a map; undefined for an object that is not a map. */
export function mapValueSchema({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return isSchema(additionalProperties) && Object.keys(additionalProperties).length > 0
    ? additionalProperties
    : undefined;
}

/** Returns the schema for the items of a list; undefined if the list declares none. */
export function itemsOf({ items }: JsonSchema): JsonSchema | undefined {
  return isSchema(items) ? items : undefined;
}

/** Returns the alternative schemas, one of which a value must fit. */
export function alternativesOf({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] {
  return anyOf ?? oneOf ?? NO_SCHEMAS;
}

const NO_SCHEMAS: readonly JsonSchema[] = [];

function isSchema(value: JsonSchema | boolean | undefined): value is JsonSchema {
  return typeof value === "object";
}

/** Returns the values that a schema lists, including the values of an open list. */
export function listedValues(node: JsonSchema): readonly unknown[] {
  return node.enum ?? node["x-extensible-enum"] ?? ("const" in node ? [node.const] : []);
}

/** Reports whether a value has a type that a schema allows. */
export function isOfType({ type }: JsonSchema, value: unknown): boolean {
  if (type === undefined) return true;
  const types = typeof type === "string" ? [type] : type;
  return (
    types.includes(jsonTypeOf(value)) || (types.includes("integer") && Number.isInteger(value))
  );
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
