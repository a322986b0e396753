import type { FilePart } from "@insurance-gateway/core/contract";
import { isPlainText } from "@insurance-gateway/core/runtime";
import type { FileRules } from "@insurance-gateway/core/schema";
import fc, { type Arbitrary } from "fast-check";
import * as z from "zod/mini";
import { type LeafKey, type LeafKeys, newLeafKeys } from "./leaf-keys.ts";

/** A fixed seed, so that a fault is reproducible. */
export const SEED = 20_261_122;
/**
 * The kind of generated values. `any`: with values that break careless parsers. `plain`: words, amounts in cents,
 * days and listed values.
 */
export type ValueStyle = "any" | "plain";

/** The options for generating values of schemas without nested schemas. */
export interface LeafOptions {
  readonly manner: ValueStyle;
  /** Values from the examples. */
  readonly scalars: readonly unknown[];
  readonly isUsable: (text: string) => boolean;
  /** The values generated so far for each schema. */
  readonly memo: LeafMemo;
}

/** The cache of generated, valid values of schemas without nested schemas. */
export interface LeafMemo {
  readonly keyOf: LeafKeys;
  readonly sets: Readonly<Record<ValueStyle, Map<LeafKey, LeafSets>>>;
}

/** Sets of values. The generator draws from each set equally often, regardless of the set's length. */
type LeafSets = readonly (readonly unknown[])[];

export function newLeafMemo(): LeafMemo {
  return { keyOf: newLeafKeys(), sets: { any: new Map(), plain: new Map() } };
}

/** Generates values of a schema without nested schemas: the valid values among many likely values. */
export function leafValues(
  schema: z.core.$ZodType,
  making: LeafOptions,
): Arbitrary<unknown> | null {
  const { isUsable, manner, memo, scalars } = making;
  const key = memo.keyOf(schema);
  const known = memo.sets[manner].get(key);
  const described = known === undefined ? leafDescriptionOf(schema) : {};
  const rules = described["x-file"];
  if (rules !== undefined) return files(rules);
  const fits = (value: unknown): boolean => isFitting(schema, value);
  const sets = known ?? candidates(described, manner).map((set) => set.filter(fits));
  memo.sets[manner].set(key, sets);
  const [first = [], ...others] = sets;
  const written = manner === "any" ? scalars.filter(fits) : [];
  const usable = [[...first, ...written], ...others].map((set) =>
    set.filter((value) => typeof value !== "string" || isUsable(value)),
  );
  const [often = null, ...seldom] = usable.map((set) => (set.length === 0 ? null : inTurn(set)));
  // Values that break careless parsers occur twice as often as the others.
  const made = oneOf(seldom.length === 0 ? [often] : [often, often, ...seldom]);
  return made === null && manner === "plain"
    ? leafValues(schema, { ...making, manner: "any" })
    : made;
}

function isFitting(schema: z.core.$ZodType, value: unknown): boolean {
  return (
    (typeof value !== "string" || isPlainText(value)) &&
    !isLarge(value) &&
    z.safeParse(schema, value).success
  );
}

/** Returns sets of values that are likely to be valid. */
function candidates(described: LeafDescription, manner: ValueStyle): LeafSets {
  const { const: only, enum: listed = [], pattern } = described;
  const words = described["x-extensible-enum"] ?? [];
  const pointed = [...(only === undefined ? [] : [only]), ...listed, ...words];
  // This filter is faster than the schema, and removes most invalid values.
  const ofType = (values: readonly unknown[]): readonly unknown[] =>
    values.filter((value) => isOfType(value, described.type));
  if (manner === "plain") return [ofType(pointed.length > 0 ? pointed : plainValues)];
  const { limits, within } = limitValuesOf(described);
  const own = [...matching(pattern), ...within].flatMap((values) => sampled(values, 8));
  return [ofType([...pointed, ...limits, ...difficultValues]), ofType([...own, ...likelyValues])];
}

/** Draws each value once before a repetition, so that a few draws are as good as many random draws. */
function inTurn<Value>(values: readonly Value[]): Arbitrary<Value> {
  const left: Value[] = [];
  return fc.noBias(fc.nat()).map((chance) => {
    if (left.length === 0) left.push(...values);
    const [taken] = left.splice(chance % left.length, 1);
    // A value exists at each index below the length.
    return taken as Value;
  });
}

function sampled(values: Arbitrary<unknown>, numRuns: number): readonly unknown[] {
  return fc.sample(values, { numRuns, seed: SEED });
}

/** Reports whether a value can have a type of JSON Schema. Unknown types accept any value. */
function isOfType(value: unknown, type: unknown): boolean {
  if (type === "integer") return typeof value === "number";
  return !(type === "string" || type === "number" || type === "boolean") || typeof value === type;
}

/** Returns a generator of texts that match a pattern; none for a pattern with lookahead and similar patterns. */
function matching(pattern: string | undefined): readonly Arbitrary<string>[] {
  if (pattern === undefined) return [];
  for (const flags of ["u", ""])
    try {
      return [fc.stringMatching(new RegExp(pattern, flags))];
    } catch {
      // A pattern may be valid only without the flag `u`.
    }
  return [];
}

/** Values at the limits of a schema, and values between the limits. */
interface LimitValues {
  readonly limits: readonly unknown[];
  readonly within: readonly Arbitrary<unknown>[];
}

const unlimited: LimitValues = { limits: [], within: [] };

/** Longest generated text, in characters. Longer texts would not find more faults. */
const LONGEST_LIMIT = 200;

/** Returns texts and numbers for a schema with limits. */
function limitValuesOf(schema: LeafDescription): LimitValues {
  return schema.type === "string" ? limitedTexts(schema) : limitedNumbers(schema);
}

function limitedTexts({ maxLength, minLength = 0 }: LeafDescription): LimitValues {
  if (maxLength === undefined && minLength === 0) return unlimited;
  const most = Math.min(maxLength ?? Number.POSITIVE_INFINITY, minLength + 12);
  const lengths = [minLength, Math.min(maxLength ?? most, Math.max(most, LONGEST_LIMIT))];
  const unit = fc.constantFrom("a", "Z", "0", "9", "α", "Ω");
  return {
    limits: lengths.map((length) => "aΩ".repeat(length).slice(0, length)),
    within: [fc.string({ unit, minLength, maxLength: most })],
  };
}

function limitedNumbers(schema: LeafDescription): LimitValues {
  const { multipleOf = schema.type === "integer" ? 1 : 0.01 } = schema;
  const { maximum = schema.exclusiveMaximum, minimum = schema.exclusiveMinimum } = schema;
  if (maximum === undefined && minimum === undefined && schema.multipleOf === undefined)
    return unlimited;
  const least = minimum ?? (maximum ?? 0) - 100;
  const most = maximum ?? least + 1_000;
  const [first, last] = [Math.ceil(least / multipleOf), Math.floor(most / multipleOf)];
  if (!(Number.isSafeInteger(first) && Number.isSafeInteger(last) && first <= last))
    return unlimited;
  // The number is rounded to its decimal form, because 3 × 0.1 is 0.30000000000000004.
  const times = (count: number): number => Number((count * multipleOf).toPrecision(15));
  return {
    // If a limit is excluded, the next number is used.
    limits: [first, first + 1, last - 1, last].map(times),
    within: [fc.integer({ min: first, max: Math.min(last, first + 100_000) }).map(times)],
  };
}

/** Reports whether a value is a whole number that JavaScript cannot represent. Parsers keep its digits as text. */
function isLarge(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

interface LeafDescription {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly type?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  /** The known values of an open enumeration. */
  readonly "x-extensible-enum"?: readonly string[];
  /** The rules of a file. */
  readonly "x-file"?: FileRules;
}

function leafDescriptionOf(schema: z.core.$ZodType): LeafDescription {
  // A schema that JSON Schema cannot express becomes a JSON Schema that accepts any value.
  return z.toJSONSchema(schema, { unrepresentable: "any" }) as LeafDescription;
}

/** Generates small files with bytes that are not text, including the separator of a form's parts. */
function files({ maxBytes = 100, mediaTypes }: FileRules): Arbitrary<FilePart> {
  return fc.record(
    {
      name: fc.constantFrom("a.pdf", "a b.pdf", "Ελένη.pdf"),
      mediaType: fc.constantFrom(...(mediaTypes ?? ["application/pdf", "image/png"])),
      content: fc
        .oneof(fc.uint8Array({ maxLength: 20 }), fc.constant(Buffer.from("\r\n--a\r\n\r\n\0")))
        .map((bytes) => new Uint8Array(bytes.subarray(0, maxBytes))),
    },
    { noNullPrototype: true },
  );
}

/** Texts and numbers that break careless parsers. */
const difficultValues: readonly unknown[] = [
  true,
  false,
  null,
  0,
  1,
  -1,
  0.07,
  66.66,
  -2.5,
  Number.MAX_SAFE_INTEGER,
  "0012",
  "a b+c&d=e%20#f",
  "a,b",
  "<a href='x'>\"é\"</a> {y} [z] (ß) ~_*;:!?@🚗",
  "'<\"&🚗>",
  " a ",
  "[1]",
  "Ελένη",
  "1e1",
  "true",
  "https://example.com/a?b=c&d=%20#e",
  "a+b@example.com",
  "00000000-0000-4000-8000-000000000001",
  "23:59:59",
];

const textGenerator = fc.string({
  unit: fc.constantFrom(..."aZ09 .,;:!?&=+%#/'\"<>[]{}()@*~_-αΩέß".split(""), "🚗"),
  minLength: 0,
  maxLength: 12,
});

const dateGenerator = fc
  .date({ min: new Date("1900-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

const instantGenerator = fc
  .date({ min: new Date("1970-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString());

const numberGenerator = fc.oneof(
  fc.integer({ min: -10, max: 200 }),
  fc.integer({ min: 1, max: 1_000_000 }).map((cents) => cents / 100),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Values of every type, created once for all schemas, because creating them takes long. */
const likelyValues = [
  ...sampled(textGenerator, 24),
  ...sampled(dateGenerator, 6),
  ...sampled(instantGenerator, 6),
  ...sampled(numberGenerator, 16),
];

/** Values of every type that each insurer's dialect can represent. */
const plainValues = [
  ...sampled(
    fc.string({ unit: fc.constantFrom(..."aZ09&<-αΩέß".split("")), minLength: 1, maxLength: 12 }),
    16,
  ),
  ...sampled(dateGenerator, 6),
  ...sampled(instantGenerator, 6),
  ...sampled(
    fc.integer({ min: 0, max: 1_000_000 }).map((cents) => (cents / 100).toFixed(2)),
    6,
  ),
  ...sampled(
    fc.integer({ min: 1, max: 1_000_000 }).map((cents) => cents / 100),
    6,
  ),
  ...sampled(fc.integer({ min: 1, max: 200 }), 6),
  true,
  false,
];

/** Draws from several generators in turn. Returns null without generators. */
export function oneOf(
  alternatives: readonly (Arbitrary<unknown> | null)[],
): Arbitrary<unknown> | null {
  const generators = alternatives.filter((generator) => generator !== null);
  return generators.length === 0 ? null : inTurn(generators).chain((generator) => generator);
}
