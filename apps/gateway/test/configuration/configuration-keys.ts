import * as z from "zod";
import { configurationSchema } from "../../src/configuration/schema.ts";

/** The keywords of JSON Schema that these tests read. */
interface JsonSchema {
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly additionalProperties?: JsonSchema | boolean | undefined;
  readonly items?: JsonSchema | undefined;
  readonly anyOf?: readonly JsonSchema[] | undefined;
  readonly oneOf?: readonly JsonSchema[] | undefined;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
}

/** Keys whose nested keys are not listed separately. */
const WHOLE = ["providers[].upstream.credentials", "accounts.list[].credentials"];

/** Returns the paths of configuration keys without a description. */
export function undescribedKeys(): readonly string[] {
  // JSON Schema also allows `true` and `false` as schemas, but zod does not write them.
  return undescribedOf(z.toJSONSchema(configurationSchema, { io: "input" }) as JsonSchema);
}

function undescribedOf(schema: JsonSchema, path = ""): readonly string[] {
  const { anyOf = [], items, oneOf = [], properties = {} } = schema;
  const named = Object.entries(properties).filter(([name]) => !OBVIOUS.includes(name));
  return [
    ...named.flatMap(([name, part]) => [
      ...(part.properties === undefined && !part.description ? [path + name] : []),
      ...undescribedOf(part, `${path}${name}.`),
    ]),
    ...[...(items === undefined ? [] : [items]), ...anyOf, ...oneOf].flatMap((part) =>
      undescribedOf(part, path),
    ),
  ];
}

/**
 * Keys that need no description, because only an editor reads them, they select an alternative, or they name a secret.
 */
const OBVIOUS = ["$schema", "type", "env", "file"];

/** Keys that only group other keys, or that only an editor reads. */
const NO_VALUES = ["$schema", "submissions.keys[]"];

/** Returns the paths of the configuration's objects that accept unknown keys. */
export function openObjects(): readonly string[] {
  // JSON Schema also allows `true` and `false` as schemas, but zod does not write them.
  return openObjectsOf(z.toJSONSchema(configurationSchema, { io: "input" }) as JsonSchema);
}

function openObjectsOf(schema: JsonSchema, path = "configuration"): readonly string[] {
  const { additionalProperties, anyOf = [], items, oneOf = [], properties = {} } = schema;
  const isOpen = schema.properties !== undefined && additionalProperties !== false;
  const listed = items === undefined ? [] : [items];
  const parts = [...Object.entries(properties), ...[...listed, ...anyOf, ...oneOf].entries()];
  return [
    ...(isOpen ? [path] : []),
    ...parts.flatMap(([name, part]) => openObjectsOf(part, `${path}.${name}`)),
  ];
}

/** Returns the path and the default of every configuration key that has a value. */
export function configurationKeys(): readonly (readonly [path: string, byDefault: unknown])[] {
  // JSON Schema also allows `true` and `false` as schemas, but zod does not write them.
  const schema = z.toJSONSchema(configurationSchema, { io: "input" }) as JsonSchema;
  return keysOf(schema).filter(([path]) => !NO_VALUES.includes(path));
}

/**
 * Returns the limits of every limited value as `minimum..maximum`: the limits of a number, of a text's length, or of a
 * list's number of items. The path of an alternative contains its type: `credentials(oauth2).clientId`.
 */
export function configurationRanges(): Readonly<Record<string, string>> {
  // JSON Schema also allows `true` and `false` as schemas, but zod does not write them.
  const schema = z.toJSONSchema(configurationSchema, { io: "input" }) as JsonSchema;
  const ranges: Record<string, string> = {};
  for (const [path, range] of rangesOf(schema))
    ranges[path] = ranges[path] === undefined ? range : `${ranges[path]} or ${range}`;
  return ranges;
}

function rangesOf(schema: JsonSchema, path = ""): readonly (readonly [string, string])[] {
  const { anyOf = [], items, oneOf = [], properties = {} } = schema;
  const least = schema.minLength ?? schema.minItems ?? bound(schema.minimum);
  const most = schema.maxLength ?? schema.maxItems ?? bound(schema.maximum);
  const isSecret = anyOf.some((one) => one.properties?.env !== undefined);
  if (isSecret) return [];
  return [
    ...(least === undefined && most === undefined
      ? []
      : [[path, `${least ?? ""}..${most ?? ""}`] as const]),
    ...Object.entries(properties).flatMap(([name, part]) =>
      rangesOf(part, path === "" ? name : `${path}.${name}`),
    ),
    ...(items === undefined ? [] : rangesOf(items, `${path}[]`)),
    ...[...anyOf, ...oneOf].flatMap((one) => {
      const type = one.properties?.type?.const;
      return rangesOf(one, type === undefined ? path : `${path}(${String(type)})`);
    }),
  ];
}

/** Removes the limits of safe integers, which zod adds to every whole number. */
function bound(value: number | undefined): number | undefined {
  return Math.abs(value ?? 0) === Number.MAX_SAFE_INTEGER ? undefined : value;
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
