import { type FilePart, isPlainText } from "@insurance-gateway/core/contract";
import type { FileRules } from "@insurance-gateway/core/schema";
import fc, { type Arbitrary } from "fast-check";
import * as z from "zod/mini";

/** The same values each time, so that a fault is there again. */
export const SEED = 20_261_122;
/** So many values of a leaf and of a whole are tried. */
export const TRIED = 60;

/** `any`: with what breaks careless readers; `plain`: words, amounts in cents, days, and the words that a list knows. */
export type Manner = "any" | "plain";

/** Which values are made. */
export interface Leaves {
  readonly manner: Manner;
  /** Values that somebody wrote. */
  readonly scalars: readonly unknown[];
  readonly isUsable: (text: string) => boolean;
}

/** Values of a schema that has none inside: those that fit, of many that are likely to. */
export function leaves(
  schema: z.core.$ZodType,
  { isUsable, manner, scalars }: Leaves,
): Arbitrary<unknown> | null {
  const described = describe(schema);
  const { const: only, enum: listed = [], pattern, "x-file": rules } = described;
  if (rules !== undefined) return files(rules);
  const words = described["x-extensible-enum"] ?? [];
  const pointed = [...(only === undefined ? [] : [only]), ...listed, ...words];
  const fits = (value: unknown): boolean =>
    (typeof value !== "string" || (isPlainText(value) && isUsable(value))) &&
    !isLarge(value) &&
    // Quicker than the schema, for most of them.
    isOfType(value, described.type) &&
    z.safeParse(schema, value).success;
  const fitting = (sets: readonly (readonly unknown[])[]): Arbitrary<unknown> | null =>
    oneOf(
      sets.map((set) => {
        const values = set.filter(fits);
        return values.length === 0 ? null : fc.constantFrom(...values);
      }),
    );
  const simple = manner === "any" ? null : fitting([pointed.length > 0 ? pointed : plain]);
  if (simple !== null) return simple;
  const own = [...matching(pattern), ...limited(described)];
  return fitting([
    [...pointed, ...scalars, ...usual],
    [...likely, ...(own.length === 0 ? [] : sampled(fc.oneof(...own), TRIED))],
  ]);
}

function sampled(values: Arbitrary<unknown>, numRuns: number = 4 * TRIED): readonly unknown[] {
  return fc.sample(values, { numRuns, seed: SEED });
}

/** Whether a value can have a type of JSON Schema; any value where it is none that is known here. */
function isOfType(value: unknown, type: unknown): boolean {
  if (type === "integer") return typeof value === "number";
  return !(type === "string" || type === "number" || type === "boolean") || typeof value === type;
}

/** Texts of a pattern; nothing for one that texts cannot be made from, such as one that looks ahead. */
function matching(pattern: string | undefined): readonly Arbitrary<string>[] {
  if (pattern === undefined) return [];
  for (const flags of ["u", ""])
    try {
      return [fc.stringMatching(new RegExp(pattern, flags))];
    } catch {
      // A pattern may be one without the flag only.
    }
  return [];
}

/** Texts and numbers within the limits of a schema that has some. */
function limited(schema: LeafDescription): readonly Arbitrary<unknown>[] {
  const { maxLength, minLength = 0, multipleOf = schema.type === "integer" ? 1 : 0.01 } = schema;
  if (schema.type === "string") {
    if (maxLength === undefined && minLength === 0) return [];
    const most = Math.min(maxLength ?? Number.POSITIVE_INFINITY, minLength + 12);
    return [
      fc.string({
        unit: fc.constantFrom("a", "Z", "0", "9", "α", "Ω"),
        minLength,
        maxLength: most,
      }),
    ];
  }
  const { maximum = schema.exclusiveMaximum, minimum = schema.exclusiveMinimum } = schema;
  if (maximum === undefined && minimum === undefined && schema.multipleOf === undefined) return [];
  const least = minimum ?? (maximum ?? 0) - 100;
  const most = Math.min(maximum ?? Number.POSITIVE_INFINITY, least + 1_000);
  const [first, last] = [Math.ceil(least / multipleOf), Math.floor(most / multipleOf)];
  if (!(Number.isSafeInteger(first) && Number.isSafeInteger(last) && first <= last)) return [];
  // As it is written in decimal: 3 × 0.1 is 0.30000000000000004.
  return [
    fc
      .integer({ min: first, max: last })
      .map((count) => Number((count * multipleOf).toPrecision(15))),
  ];
}

/** A whole number that a JavaScript number cannot hold exactly; readers keep its digits as text. */
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
  /** The words that an open list knows. */
  readonly "x-extensible-enum"?: readonly string[];
  /** The rules of a file. */
  readonly "x-file"?: FileRules;
}

function describe(schema: z.core.$ZodType): LeafDescription {
  // A leaf of a contract has a JSON Schema; what has none is any value.
  return z.toJSONSchema(schema, { unrepresentable: "any" }) as LeafDescription;
}

/** Small files with bytes that are no text, also with what separates the parts of a form. */
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

/** What breaks careless readers of texts and numbers. */
const usual: readonly unknown[] = [
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

const texts = fc.string({
  unit: fc.constantFrom(..."aZ09 .,;:!?&=+%#/'\"<>[]{}()@*~_-αΩέß".split(""), "🚗"),
  minLength: 0,
  maxLength: 12,
});

const dates = fc
  .date({ min: new Date("1900-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

const instants = fc
  .date({ min: new Date("1970-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString());

const numbers = fc.oneof(
  fc.integer({ min: -10, max: 200 }),
  fc.integer({ min: 1, max: 1_000_000 }).map((cents) => cents / 100),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Values of every type: the same for each schema, because making them takes most of the time. */
const likely = sampled(fc.oneof(texts, dates, instants, numbers));

/** What every dialect has a form for, if it has one for the type. */
const plain = sampled(
  fc.oneof(
    fc.string({ unit: fc.constantFrom(..."aZ09&<-αΩέß".split("")), minLength: 1, maxLength: 12 }),
    dates,
    instants,
    fc.integer({ min: 0, max: 1_000_000 }).map((cents) => (cents / 100).toFixed(2)),
    fc.integer({ min: 1, max: 1_000_000 }).map((cents) => cents / 100),
    fc.integer({ min: 1, max: 200 }),
    fc.boolean(),
  ),
);

/** One of several arbitraries; null where there is none. */
export function oneOf(
  alternatives: readonly (Arbitrary<unknown> | null)[],
): Arbitrary<unknown> | null {
  const made = alternatives.filter((one) => one !== null);
  return made.length === 0 ? null : fc.oneof(...made);
}
