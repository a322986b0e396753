import * as z from "zod";
import { configurationSchema } from "../../src/configuration/schema.ts";

/** What JSON Schema says of a value, as far as these tests ask. */
interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly items?: JsonSchema | undefined;
  readonly anyOf?: readonly JsonSchema[] | undefined;
  readonly default?: unknown;
}

/** Keys whose parts count as one. */
const WHOLE = ["providers[].upstream.credentials", "connections.list[].credentials"];

/** Keys that hold keys of their own, or that only an editor reads. */
const NO_VALUES = ["$schema", "submissions.keys[]"];

/** Every key of the configuration that has a value of its own, by its path, with its default. */
export function configurationKeys(): readonly (readonly [path: string, byDefault: unknown])[] {
  // JSON Schema also has true and false for schemas; zod writes none here.
  const schema = z.toJSONSchema(configurationSchema, { io: "input" }) as JsonSchema;
  return keysOf(schema).filter(([path]) => !NO_VALUES.includes(path));
}

function keysOf(schema: JsonSchema, path = ""): readonly (readonly [string, unknown])[] {
  const { anyOf = [], items, properties } = schema;
  const below = path === "" ? "" : `${path}.`;
  const isSecret = anyOf.some((one) => one.properties?.env !== undefined);
  if (WHOLE.includes(path) || isSecret) return [[path, schema.default]];
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, value]) => keysOf(value, below + name));
  if (items?.properties !== undefined)
    return [[`${path}[]`, schema.default], ...keysOf(items, `${path}[]`)];
  if (items !== undefined) return [[`${path}[]`, schema.default]];
  const alternatives = anyOf.filter((one) => one.properties !== undefined);
  return [[path, schema.default], ...alternatives.flatMap((one) => keysOf(one, path))];
}
