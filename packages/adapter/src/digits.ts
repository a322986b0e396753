import type { Schema } from "@insurance-gateway/core/contract";
import {
  alternativeChoice,
  type ChooseAlternative,
  isDigits,
  zod,
} from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

/** Converts the 64-bit numbers of a JSON value (the schema `digits` of `@insurance-gateway/core/schema`). */
export interface DigitsCodec {
  /** Converts the JSON numbers in a value of `parseJson` to strings of digits. */
  readonly read: (value: unknown) => unknown;
  /** Returns a value that `JSON.stringify` writes with JSON numbers, without a change of digits. */
  readonly write: (value: unknown) => unknown;
}

/** Creates the codec for the 64-bit numbers of a schema. Returns null for a schema without 64-bit numbers. */
export function digitsCodec(schema: Schema<unknown>): DigitsCodec | null {
  const root = zod(schema);
  const above = schemasWithDigits(root);
  if (!above.has(root)) return null;
  return {
    read: (value) =>
      convertDigits(root, value, {
        above,
        leaf: readDigits,
        choose: alternativeChoice({ numbers: true }),
      }),
    write: (value) =>
      convertDigits(root, value, {
        above,
        leaf: toRawNumber,
        choose: alternativeChoice({ numbers: false }),
      }),
  };
}

interface DigitsConversion {
  /** The schemas that contain the schema `digits` at any depth. */
  readonly above: ReadonlySet<z.core.$ZodType>;
  readonly leaf: (value: unknown) => unknown;
  /** Chooses the alternative that a value matches before the conversion of the value. */
  readonly choose: ChooseAlternative;
}

function convertDigits(schema: z.core.$ZodType, value: unknown, how: DigitsConversion): unknown {
  if (!how.above.has(schema)) return value;
  if (isDigits(schema)) return how.leaf(value);
  const def = schemaDefinitionOf(schema);
  const inner = (one: z.core.$ZodType, part = value): unknown => convertDigits(one, part, how);
  switch (def.type) {
    case "object":
      return mapFields(value, (name, field) => {
        const property = Object.hasOwn(def.shape, name) ? def.shape[name] : def.catchall;
        return property === undefined ? field : inner(property, field);
      });
    case "record":
      return mapFields(value, (_, field) => inner(def.valueType, field));
    case "array":
      return Array.isArray(value) ? value.map((item) => inner(def.element, item)) : value;
    case "tuple":
      return Array.isArray(value)
        ? value.map((item, index) => inner(def.items[index] ?? def.rest ?? z.unknown(), item))
        : value;
    case "union": {
      const option = how.choose(def.options, value);
      return option === undefined ? value : inner(option);
    }
    case "intersection":
      return inner(def.right, inner(def.left));
    case "lazy":
      return inner(def.getter());
    default:
      return "innerType" in def ? inner(def.innerType) : value;
  }
}

function mapFields(value: unknown, make: (name: string, field: unknown) => unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, make(name, field)]),
  );
}

/** Converts a number to a string of digits. A number that JavaScript cannot represent is already a string. */
function readDigits(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : value;
}

function toRawNumber(value: unknown): unknown {
  return typeof value === "string" && /^(0|-?[1-9]\d*)$/.test(value) ? rawJson(value) : value;
}

/** TypeScript's library does not declare `rawJSON` (ECMAScript proposal "JSON.parse source text access"). */
const { rawJSON: rawJson } = JSON as typeof JSON & { readonly rawJSON: (text: string) => object };

/** Returns a schema and every inner schema that contains `digits`. */
function schemasWithDigits(root: z.core.$ZodType): ReadonlySet<z.core.$ZodType> {
  const holders = new Map<z.core.$ZodType, z.core.$ZodType[]>([[root, []]]);
  const waiting = [root];
  for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop())
    for (const inner of innerSchemasOf(schema)) {
      const known = holders.get(inner);
      if (known === undefined) {
        holders.set(inner, [schema]);
        waiting.push(inner);
      } else known.push(schema);
    }
  const above = new Set<z.core.$ZodType>();
  const rising = [...holders.keys()].filter(isDigits);
  for (let schema = rising.pop(); schema !== undefined; schema = rising.pop()) {
    if (above.has(schema)) continue;
    above.add(schema);
    rising.push(...(holders.get(schema) ?? []));
  }
  return above;
}

function innerSchemasOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const def = schemaDefinitionOf(schema);
  switch (def.type) {
    case "object":
      return [...Object.values(def.shape), ...(def.catchall === undefined ? [] : [def.catchall])];
    case "record":
      return [def.valueType];
    case "array":
      return [def.element];
    case "tuple":
      return [...def.items, ...(def.rest === null ? [] : [def.rest])];
    case "union":
      return def.options;
    case "intersection":
      return [def.left, def.right];
    case "lazy":
      return [def.getter()];
    default:
      return "innerType" in def ? [def.innerType] : [];
  }
}

/** Returns the definition of a schema, typed as the union of all zod schemas; zod declares a less specific type. */
function schemaDefinitionOf(schema: z.core.$ZodType): z.core.$ZodTypes["_zod"]["def"] {
  const { _zod: internals } = schema as z.core.$ZodTypes;
  return internals.def;
}
