import { isLarge, type JsonSchema, nameIn } from "./judge.ts";

/** Returns pseudo-random numbers from 0 to below 1. */
export type Random = () => number;

/** Creates a generator of pseudo-random numbers (mulberry32). The same seed always gives the same numbers. */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Maximum depth of optional values in a generated value. */
const MAX_OPTIONAL_LEVELS = 6;
/** Maximum depth of a generated value: a schema that must contain itself has no finite value. */
const MAX_LEVELS = 40;

/** Returns a function that generates values that a schema probably accepts. */
export function valuesOf(
  components: Readonly<Record<string, unknown>>,
  random: Random,
): (schema: unknown) => unknown {
  return (schema) => made(schema, 0);

  function made(value: unknown, depth: number): unknown {
    if (depth > MAX_LEVELS) return null;
    const schema: JsonSchema = Object(value);
    const name = nameIn(schema.$ref);
    if (name !== undefined)
      return joined([made(components[name], depth + 1), beside(schema, depth)]);
    if (Array.isArray(schema.allOf))
      return joined([...schema.allOf.map((part) => made(part, depth)), beside(schema, depth)]);
    const alternatives = schema.oneOf ?? schema.anyOf;
    if (Array.isArray(alternatives))
      return joined([made(oneIn(alternatives), depth), beside(schema, depth)]);
    if (schema.const !== undefined) return schema.const;
    if (Array.isArray(schema.enum)) return oneIn(schema.enum);
    if (isLarge(schema)) return String(Math.floor(random() * 1e6));
    return ofType(typeOf(schema), schema, depth);
  }

  function beside(
    { $ref: _reference, allOf: _all, anyOf: _any, oneOf: _one, ...rest }: JsonSchema,
    depth: number,
  ): unknown {
    return rest.properties === undefined ? undefined : made(rest, depth);
  }

  function typeOf({ properties, type }: JsonSchema): unknown {
    if (Array.isArray(type)) return oneIn(type);
    return type ?? (properties === undefined ? "anything" : "object");
  }

  function ofType(type: unknown, schema: JsonSchema, depth: number): unknown {
    switch (type) {
      case "object":
        return objectOf(schema, depth);
      case "array": {
        const { maxItems = 3, minItems = 0 } = schema;
        const most = depth > MAX_OPTIONAL_LEVELS ? Number(minItems) : Math.min(3, Number(maxItems));
        const count = Math.max(Number(minItems), Math.floor(random() * (most + 1)));
        return Array.from({ length: count }, () => made(schema.items, depth + 1));
      }
      case "string":
        return textOf(schema);
      case "integer":
      case "number": {
        const { maximum = 1_000, minimum = 0 } = schema;
        const number = Number(minimum) + random() * (Number(maximum) - Number(minimum));
        return type === "integer" ? Math.round(number) : Number(number.toFixed(2));
      }
      case "boolean":
        return random() < 0.5;
      case "null":
        return null;
      default:
        return oneIn(["a", 1, null, {}, [true]]);
    }
  }

  function objectOf(
    { additionalProperties, properties, required }: JsonSchema,
    depth: number,
  ): unknown {
    const needed = new Set(Array.isArray(required) ? required : []);
    const members = Object.entries(Object(properties))
      .filter(([name]) => needed.has(name) || (depth <= MAX_OPTIONAL_LEVELS && random() < 0.6))
      .map(([name, schema]) => [name, made(schema, depth + 1)] as const);
    const more =
      typeof additionalProperties === "object" && depth <= MAX_OPTIONAL_LEVELS && random() < 0.5
        ? [["other", made(additionalProperties, depth + 1)] as const]
        : [];
    return Object.fromEntries([...members, ...more]);
  }

  function textOf({ format, maxLength = 100, minLength = 0 }: JsonSchema): string {
    const text = TEXTS[String(format)] ?? String(oneIn(["text", "a", "Ζημιά", "12"]));
    return text.slice(0, Number(maxLength)).padEnd(Number(minLength), "x");
  }

  function oneIn(values: readonly unknown[]): unknown {
    return values[Math.floor(random() * values.length)];
  }
}

const TEXTS: Readonly<Record<string, string>> = {
  date: "2026-11-21",
  "date-time": "2026-11-21T08:00:00Z",
  uuid: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
};

/** Merges the values if all are objects; otherwise returns the first value. */
function joined(values: readonly unknown[]): unknown {
  const present = values.filter((value) => value !== undefined);
  return present.every(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  )
    ? Object.assign({}, ...present)
    : present[0];
}

const REPLACEMENTS: readonly unknown[] = [null, "", "x", "a longer text", -1, 0, 1.5, true, [], {}];

/** Returns the value with one change at a random place. */
export function mutated(value: unknown, random: Random): unknown {
  if (Array.isArray(value) && value.length > 0 && random() < 0.8) {
    const place = Math.floor(random() * value.length);
    if (random() < 0.2) return [...value, value[place]];
    return value.map((item, index) => (index === place ? mutated(item, random) : item));
  }
  if (typeof value === "object" && value !== null && random() < 0.9) {
    const entries = Object.entries(value);
    if (entries.length === 0 || random() < 0.1) return { ...value, undeclared: 1 };
    const place = Math.floor(random() * entries.length);
    if (random() < 0.3) return Object.fromEntries(entries.filter((_, index) => index !== place));
    return Object.fromEntries(
      entries.map(([name, member], index) => [
        name,
        index === place ? mutated(member, random) : member,
      ]),
    );
  }
  return REPLACEMENTS[Math.floor(random() * REPLACEMENTS.length)];
}
