import {
  check,
  type FilePart,
  isFilePart,
  isPlainText,
  type Schema,
} from "@insurance-gateway/core/contract";
import { type FileRules, zod } from "@insurance-gateway/core/schema";
import fc, { type Arbitrary } from "fast-check";
import * as z from "zod/mini";

/** The same values each time, so that a fault is there again. */
const SEED = 20_261_122;
/** So many values of a leaf and of a whole are tried. */
const TRIED = 60;
/** Deeper values of a schema that holds itself are left out where they may be. */
const DEEPEST = 4;
/** What is still deeper, and cannot be left out, has no end: no value of it can be made. */
const ENDLESS = 24;

/**
 * Makes values that fit a schema, the same each time.
 * @param known - values that somebody wrote, such as examples: what cannot be made, such as a number with a check digit,
 *   is taken from them
 * @param isUsable - refuses texts that cannot stand where the values are sent
 * @param manner - `plain`: leaves that every dialect has a form for, where some fit
 * @returns nothing where no value could be made
 */
export function fittingValues(
  schema: Schema<unknown>,
  count: number,
  known?: unknown,
  isUsable: (text: string) => boolean = () => true,
  manner: Manner = "any",
): readonly unknown[] {
  const scalars = scalarsIn(known).filter((value) => typeof value !== "string" || isUsable(value));
  const made = arbitraryOf(zod(schema), { scalars, isUsable, manner, made: new Map() }, 0);
  if (made === null) return [];
  const values = fc.sample(made, { numRuns: TRIED, seed: SEED }).map(asJson);
  return values.filter((value) => check(schema, value).valid).slice(0, count);
}

/** `any`: with what breaks careless readers; `plain`: words, amounts in cents, days, and the words that a list knows. */
export type Manner = "any" | "plain";

interface Making {
  readonly manner: Manner;
  readonly scalars: readonly unknown[];
  readonly isUsable: (text: string) => boolean;
  /** What was made of each schema, by its depth: schemas that hold each other meet the same ones again and again. */
  readonly made: Map<z.core.$ZodType, Map<number, Arbitrary<unknown> | null>>;
}

function arbitraryOf(
  schema: z.core.$ZodType,
  making: Making,
  depth: number,
): Arbitrary<unknown> | null {
  const known = making.made.get(schema) ?? new Map<number, Arbitrary<unknown> | null>();
  making.made.set(schema, known);
  const found = known.get(depth);
  if (found !== undefined) return found;
  const made = depth > ENDLESS ? null : newArbitrary(schema, making, depth);
  known.set(depth, made);
  return made;
}

function newArbitrary(
  schema: z.core.$ZodType,
  making: Making,
  depth: number,
): Arbitrary<unknown> | null {
  // Every zod schema is one of the kinds of this union, which says more than its own type.
  const {
    _zod: { def },
  } = schema as z.core.$ZodTypes;
  const inner = (one: z.core.$ZodType): Arbitrary<unknown> | null =>
    arbitraryOf(one, making, depth + 1);
  switch (def.type) {
    case "object":
      return objects(def.shape, inner, depth);
    case "array": {
      const { least, most } = lengthsOf(def.checks);
      const items = depth < DEEPEST || least > 0 ? inner(def.element) : null;
      if (items === null) return least > 0 ? null : fc.constant([]);
      const usual = depth < DEEPEST ? Math.max(least, Math.min(most, 3)) : least;
      return fc.array(items, { minLength: least, maxLength: usual });
    }
    case "record": {
      const values = inner(def.valueType);
      return values === null
        ? null
        : fc.dictionary(fc.constantFrom("a", "β"), values, { noNullPrototype: true });
    }
    case "union":
      return oneOf(def.options.map(inner));
    case "intersection":
      return both(inner(def.left), inner(def.right));
    case "nullable":
      return oneOf([fc.constant(null), inner(def.innerType)]);
    case "optional":
    case "readonly":
      return inner(def.innerType);
    case "lazy":
      return inner(def.getter());
    default:
      return leaves(schema, making);
  }
}

/** How many items a list may have. */
function lengthsOf(checks: readonly z.core.$ZodCheck[] = []): { least: number; most: number } {
  // Every check is one of the kinds of this union, which says more than its own type.
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

function objects(
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

/** Values that two schemas accept, as objects have them: with the fields of both. */
function both(
  left: Arbitrary<unknown> | null,
  right: Arbitrary<unknown> | null,
): Arbitrary<unknown> | null {
  if (left === null || right === null) return null;
  return fc
    .tuple(left, right)
    .map(([one, other]) => (isFields(one) && isFields(other) ? { ...one, ...other } : other));
}

function isFields(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function oneOf(alternatives: readonly (Arbitrary<unknown> | null)[]): Arbitrary<unknown> | null {
  const made = alternatives.filter((one) => one !== null);
  return made.length === 0 ? null : fc.oneof(...made);
}

/** Values of a schema that has none inside: those that fit, of many that are likely to. */
function leaves(
  schema: z.core.$ZodType,
  { isUsable, manner, scalars }: Making,
): Arbitrary<unknown> | null {
  const described = describe(schema);
  const { const: only, enum: listed = [], pattern, "x-file": rules } = described;
  if (rules !== undefined) return files(rules);
  const words = described["x-extensible-enum"] ?? [];
  const pointed = [...(only === undefined ? [] : [only]), ...listed, ...words];
  const fits = (value: unknown): boolean =>
    (typeof value !== "string" || (isPlainText(value) && isUsable(value))) &&
    !isLarge(value) &&
    z.safeParse(schema, value).success;
  const fitting = (sets: readonly (readonly unknown[])[]): Arbitrary<unknown> | null =>
    oneOf(
      sets.map((set) => {
        const values = set.filter(fits);
        return values.length === 0 ? null : fc.constantFrom(...values);
      }),
    );
  const sampled = (likely: Arbitrary<unknown>): readonly unknown[] =>
    fc.sample(likely, { numRuns: 4 * TRIED, seed: SEED });
  const simple = manner === "any" ? null : fitting([pointed.length > 0 ? pointed : sampled(plain)]);
  if (simple !== null) return simple;
  return fitting([
    [...pointed, ...scalars, ...usual],
    sampled(fc.oneof(texts, ...matching(pattern), dates, instants, numbers)),
  ]);
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

/** A whole number that a JavaScript number cannot hold exactly; readers keep its digits as text. */
function isLarge(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

interface LeafDescription {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
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

/** What every dialect has a form for, if it has one for the type. */
const plain = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."aZ09&<-αΩέß".split("")), minLength: 1, maxLength: 12 }),
  dates,
  instants,
  fc.integer({ min: 0, max: 1_000_000 }).map((cents) => (cents / 100).toFixed(2)),
  fc.integer({ min: 1, max: 1_000_000 }).map((cents) => cents / 100),
  fc.integer({ min: 1, max: 200 }),
  fc.boolean(),
);

/** A value as JSON has it: without -0, and with nothing that is undefined. Files are left as they are. */
function asJson(value: unknown): unknown {
  if (isFilePart(value)) return value;
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value !== "object" || value === null)
    return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, asJson(field)]));
}

function scalarsIn(value: unknown): readonly unknown[] {
  if (isFilePart(value)) return [];
  if (typeof value !== "object" || value === null) return value === undefined ? [] : [value];
  return Object.values(value).flatMap(scalarsIn);
}
