import { isDeepStrictEqual } from "node:util";
import { check, type Schema } from "@insurance-gateway/core/contract";
import { isFilePart } from "@insurance-gateway/core/runtime";
import { zod } from "@insurance-gateway/core/schema";
import fc, { type Arbitrary } from "fast-check";
import * as z from "zod/mini";
import { isFields } from "./differences.ts";
import {
  type LeafOptions,
  leafValues,
  newLeafMemo,
  oneOf,
  SEED,
  type ValueStyle,
} from "./leaf-values.ts";

/** Minimum number of generated candidates, some of which may break a rule about several fields. */
const LEAST_TRIED = 60;

/** Maximum depth of optional values in a recursive schema. */
const DEEPEST = 4;
/** Depth at which a recursive schema counts as endless, so that no value can be generated. */
const ENDLESS_DEPTH = 24;

/**
 * Generates values that match a schema, the same values each time.
 * @param known - written values, such as examples, in place of values that cannot be generated, such as a number with
 * a check digit
 * @param isUsable - reports whether a text can be sent in this part of a request
 * @param manner - `plain` prefers values that every dialect can express
 * @returns an empty list if no value could be generated
 */
export function fittingValues(
  schema: Schema<unknown>,
  count: number,
  known?: unknown,
  isUsable: (text: string) => boolean = () => true,
  manner: ValueStyle = "any",
): readonly unknown[] {
  return fittingValuesOf(schema, count, { known, isUsable, manner, memo: newLeafMemo() });
}

/**
 * Generates values that match a schema, as `fittingValues` does, with cached values of schemas without nested schemas.
 */
export function fittingValuesOf(
  schema: Schema<unknown>,
  count: number,
  { known, ...leaves }: Omit<LeafOptions, "scalars"> & { readonly known: unknown },
): readonly unknown[] {
  const scalars = [...new Set(scalarsIn(known))];
  const made = arbitraryOf(zod(schema), { ...leaves, scalars, made: new Map() }, 0);
  if (made === null) return [];
  const values: unknown[] = [];
  const most = Math.max(LEAST_TRIED, 3 * count);
  for (let tried = 0; tried < most && values.length < count; tried += count)
    values.push(
      ...fc
        .sample(made, { numRuns: count, seed: SEED + tried })
        .map(asJson)
        .filter((value) => check(schema, value).valid),
    );
  return values.slice(0, count);
}

interface GeneratorOptions extends LeafOptions {
  /** The generated values of each schema, by depth, because recursive schemas need the same values repeatedly. */
  readonly made: Map<z.core.$ZodType, Map<number, Arbitrary<unknown> | null>>;
}

function arbitraryOf(
  schema: z.core.$ZodType,
  making: GeneratorOptions,
  depth: number,
): Arbitrary<unknown> | null {
  const known = making.made.get(schema) ?? new Map<number, Arbitrary<unknown> | null>();
  making.made.set(schema, known);
  const found = known.get(depth);
  if (found !== undefined) return found;
  const made = depth > ENDLESS_DEPTH ? null : newArbitrary(schema, making, depth);
  known.set(depth, made);
  return made;
}

function newArbitrary(
  schema: z.core.$ZodType,
  making: GeneratorOptions,
  depth: number,
): Arbitrary<unknown> | null {
  // Every zod schema is a member of this union, which is more specific than its declared type.
  const {
    _zod: { def },
  } = schema as z.core.$ZodTypes;
  const inner = (one: z.core.$ZodType): Arbitrary<unknown> | null =>
    arbitraryOf(one, making, depth + 1);
  switch (def.type) {
    case "object":
      return objectGenerator(def.shape, inner, depth);
    case "array": {
      const { least, most } = lengthsOf(def.checks);
      const items = depth < DEEPEST || least > 0 ? inner(def.element) : null;
      if (items === null) return least > 0 ? null : fc.constant([]);
      const usual = depth < DEEPEST ? Math.max(least, Math.min(most, 3)) : least;
      const lengths = { minLength: least, maxLength: usual };
      return keywordsOf(schema).uniqueItems === true
        ? fc.uniqueArray(items, { ...lengths, comparator: isDeepStrictEqual })
        : fc.array(items, lengths);
    }
    case "record": {
      const keywords = keywordsOf(schema);
      const isNeeded = depth < DEEPEST || (keywords.minProperties ?? 0) > 0;
      return mapGenerator(isNeeded ? inner(def.valueType) : null, keywords);
    }
    case "union":
      return oneOf(choices(def.options.map(inner), keywordsOf(schema)));
    case "intersection":
      return intersectionOf(inner(def.left), inner(def.right));
    case "nullable":
      return oneOf([fc.constant(null), inner(def.innerType)]);
    case "optional":
    case "readonly":
      return inner(def.innerType);
    case "lazy":
      return inner(def.getter());
    default:
      return leafValues(schema, making);
  }
}

/** The keywords of JSON Schema and of core that a schema can have. */
interface Keywords {
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly propertyNames?: { readonly pattern?: string };
  /** The position of the alternative that each value of a property chooses. */
  readonly "x-discriminator"?: {
    readonly propertyName: string;
    readonly mapping: Readonly<Record<string, number>>;
  };
}

function keywordsOf(schema: z.core.$ZodType): Keywords {
  // Core's schema builders write these keywords.
  return (z.globalRegistry.get(schema) ?? {}) as Keywords;
}

function mapGenerator(
  values: Arbitrary<unknown> | null,
  keywords: Keywords,
): Arbitrary<unknown> | null {
  const { maxProperties = Number.POSITIVE_INFINITY, minProperties = 0, propertyNames } = keywords;
  const { pattern } = propertyNames ?? {};
  if (values === null) return minProperties > 0 ? null : fc.constant({});
  const names =
    pattern === undefined
      ? fc.constantFrom("a", "β", ...Array.from({ length: minProperties }, (_, at) => `a${at}`))
      : fc.stringMatching(new RegExp(pattern));
  return fc.dictionary(names, values, {
    minKeys: minProperties,
    maxKeys: Math.max(minProperties, Math.min(maxProperties, 3)),
    noNullPrototype: true,
  });
}

/** Returns the alternatives of a union, with their values if a property selects the alternative. */
function choices(
  options: readonly (Arbitrary<unknown> | null)[],
  { "x-discriminator": discriminator }: Keywords,
): readonly (Arbitrary<unknown> | null)[] {
  if (discriminator === undefined) return options;
  const { mapping, propertyName } = discriminator;
  const withValue = (position: number, value: string): Arbitrary<unknown> | null =>
    options[position]?.map((made) => ({ ...Object(made), [propertyName]: value })) ?? null;
  const known = Object.entries(mapping).map(([value, position]) => withValue(position, value));
  // In an answer, the last alternative also accepts all other values.
  const last = options.length - 1;
  const isOpen = !Object.values(mapping).includes(last);
  return isOpen ? [...known, withValue(last, "another-value")] : known;
}

/** Returns the minimum and maximum number of items of a list. */
function lengthsOf(checks: readonly z.core.$ZodCheck[] = []): { least: number; most: number } {
  // Every check is a member of this union, which is more specific than its declared type.
  const rules = (checks as readonly z.core.$ZodChecks[]).map(({ _zod: { def } }) => def);
  const least = rules.map((rule) =>
    rule.check === "min_length" ? rule.minimum : rule.check === "length_equals" ? rule.length : 0,
  );
  const most = rules.map((rule) =>
    rule.check === "max_length"
      ? rule.maximum
      : rule.check === "length_equals"
        ? rule.length
        : Number.POSITIVE_INFINITY,
  );
  return { least: Math.max(0, ...least), most: Math.min(...most) };
}

function objectGenerator(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  inner: (schema: z.core.$ZodType) => Arbitrary<unknown> | null,
  depth: number,
): Arbitrary<unknown> | null {
  const isOptional = (name: string): boolean => {
    const { _zod: internals } = shape[name] ?? {};
    return internals?.optin === "optional";
  };
  const names = Object.keys(shape).filter((name) => depth < DEEPEST || !isOptional(name));
  const fields = names.map((name) => [name, inner(shape[name] ?? z.unknown())] as const);
  const made = fields.filter((field): field is [string, Arbitrary<unknown>] => field[1] !== null);
  if (
    made.length < fields.length &&
    fields.some(([name, field]) => field === null && !isOptional(name))
  )
    return null;
  return fc.record(Object.fromEntries(made), {
    requiredKeys: made.map(([name]) => name).filter((name) => !isOptional(name)),
    noNullPrototype: true,
  });
}

/** Generates values that two schemas accept. Objects have the fields of both. */
function intersectionOf(
  left: Arbitrary<unknown> | null,
  right: Arbitrary<unknown> | null,
): Arbitrary<unknown> | null {
  if (left === null || right === null) return null;
  return fc
    .tuple(left, right)
    .map(([one, other]) => (isFields(one) && isFields(other) ? { ...one, ...other } : other));
}

/** Returns a value as JSON represents it: -0 becomes 0. Files are unchanged. */
function asJson(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  if (typeof value !== "object" || value === null || isFilePart(value)) return value;
  if (Array.isArray(value)) return value.map(asJson);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, asJson(field)]));
}

function scalarsIn(value: unknown): readonly unknown[] {
  if (isFilePart(value)) return [];
  if (typeof value !== "object" || value === null) return value === undefined ? [] : [value];
  return Object.values(value).flatMap(scalarsIn);
}
