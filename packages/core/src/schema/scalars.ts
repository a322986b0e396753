import * as z from "zod/mini";
// A named import, because a bundler would include all of zod for `z.core`.
import { $constructor } from "zod/v4/core";
import { keyword } from "./keyword.ts";

/** The rules of JSON Schema for a text. */
export interface StringRules {
  /** Minimum length in characters (code points), as JSON Schema counts. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: RegExp;
  /**
   * The format. `date`, `date-time`, `uuid`, `email` and `uri` are checked; other formats are only in the JSON Schema.
   */
  readonly format?: string;
  /** Writes `format` into the JSON Schema without a check: for answers, because insurers often violate it. */
  readonly annotated?: true;
}

/** Creates the schema of a text with the rules of JSON Schema. */
export function string(rules: StringRules = {}): z.ZodMiniType<string, string> {
  const { annotated = false, format, maxLength, minLength, pattern } = rules;
  return z.string().check(
    ...keyword(minLength, (least) => ({
      name: "minLength",
      holds: (text: string) => lengthOf(text) >= least,
      code: "LENGTH",
      message: `must have at least ${least} characters`,
    })),
    ...keyword(maxLength, (most) => ({
      name: "maxLength",
      holds: (text: string) => lengthOf(text) <= most,
      code: "LENGTH",
      // Stop at a text that is too long: a pattern may take quadratic time.
      abort: true,
      message: `must have at most ${most} characters`,
    })),
    ...(pattern === undefined
      ? []
      : [z.regex(pattern, { error: `must match the pattern ${pattern.source}` })]),
    ...keyword(format, (given) => ({
      name: "format",
      code: "FORMAT",
      ...((annotated ? undefined : checkedFormat(given)) ?? UNCHECKED),
    })),
  );
}

/** The check of a format that is only written into the JSON Schema. */
const UNCHECKED: FormatCheck = { holds: () => true, message: "is not valid" };

interface FormatCheck {
  readonly holds: (text: string) => boolean;
  readonly message: string;
}

/** The rules of JSON Schema for a number. */
export interface NumberRules {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  /** The number of which the value must be a multiple, computed in decimal: 66.66 is a multiple of 0.01. */
  readonly multipleOf?: number;
  /** The format, only written into the JSON Schema: `int32`, `double`. */
  readonly format?: string;
}

/** Creates the schema of a number with the rules of JSON Schema. */
export function number(rules: NumberRules = {}): z.ZodMiniType<number, number> {
  return z.number().check(...limitsOf(rules));
}

/** Creates the schema of a safe whole number with the rules of JSON Schema. */
export function integer(rules: NumberRules = {}): z.ZodMiniType<number, number> {
  return z.int().check(...limitsOf(rules));
}

/**
 * Creates the schema of a 64-bit whole number as a string of digits, because a JavaScript number would be rounded.
 * `publishedDialect` converts the string to and from the insurer's JSON number.
 */
export function digits(): z.ZodMiniType<string, string> {
  return new Digits({ type: "string" }).check(
    // Leading zeros are refused, because JSON numbers have none.
    z.regex(/^(0|-?[1-9]\d{0,18})$/, {
      error: "must be a whole number of at most 19 digits, in a string",
    }),
    z.meta({ format: "int64", "x-digits": true }),
  );
}

const Text: z.core.$constructor<z.ZodMiniString> = z.ZodMiniString;

const Digits: z.core.$constructor<z.ZodMiniString<string>> = /* @__PURE__ */ $constructor(
  "Digits",
  (instance, definition) => {
    Text.init(instance, definition);
    const { _zod: internals } = instance;
    const parse = internals.parse.bind(internals);
    internals.parse = (payload, context: DigitsContext) => {
      if (context["~numbers"] === true && Number.isSafeInteger(payload.value))
        payload.value = String(payload.value);
      return parse(payload, context);
    };
  },
);

/** A parse context in which `digits` accepts a JSON number, as the insurer sends it. */
export interface DigitsContext extends z.core.ParseContextInternal {
  readonly "~numbers"?: boolean;
}

/** Reports whether a schema was created by `digits`. */
export function isDigits(schema: z.core.$ZodType): boolean {
  return z.globalRegistry.get(schema)?.["x-digits"] === true;
}

/** Creates the schema of any JSON value. The value is required unless the schema is marked as optional. */
export function anything(): z.ZodMiniType {
  return z
    .unknown()
    .check(z.refine((value) => value !== undefined, { error: "must be present", abort: true }));
}

/** Returns the length of a text in code points. zod counts UTF-16 units. */
function lengthOf(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** Returns the check of a format, or undefined if the format is not checked. */
function checkedFormat(format: string): FormatCheck | undefined {
  switch (format) {
    case "date":
      return { holds: isDate, message: "must be a date that exists, written YYYY-MM-DD" };
    case "date-time":
      return { holds: isInstant, message: "must be an instant, written as RFC 3339" };
    case "uuid":
      return { holds: isUuid, message: "must be a UUID" };
    case "email":
      return { holds: isEmail, message: "must be an e-mail address" };
    case "uri":
      return {
        holds: isUri,
        message: "must be a URI with its scheme, such as https://example.com",
      };
    default:
      return undefined;
  }
}

/** Reports whether a text has one @ between two other texts. Only the address's mail server knows all other rules. */
function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text);
}

/** Reports whether a text has a scheme and only the characters of a URI (RFC 3986, section 3). */
function isUri(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]*$/.test(text);
}

/**
 * Pattern of an existing date in the form of RFC 3339. An import of zod's own pattern would add all patterns of zod to
 * bundles.
 */
const DATE =
  "((\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|(0[469]|11)-(0[1-9]|[12]\\d|30)|02-(0[1-9]|1\\d|2[0-8])))";
const WHOLE_DATE: RegExp = /* @__PURE__ */ new RegExp(`^${DATE}$`);
const HOUR_AND_MINUTE = "([01]\\d|2[0-3]):[0-5]\\d";
/** Pattern of an instant with any offset (RFC 3339, section 5.6). */
const INSTANT: RegExp = /* @__PURE__ */ new RegExp(
  `^${DATE}[Tt]${HOUR_AND_MINUTE}:[0-5]\\d(\\.\\d+)?([Zz]|[+-]${HOUR_AND_MINUTE})$`,
);

function isDate(text: string): boolean {
  return WHOLE_DATE.test(text);
}

function isInstant(text: string): boolean {
  return INSTANT.test(text) || isLeapSecond(text.toUpperCase());
}

/** Reports whether a second 60 is the last second of a day in UTC. */
function isLeapSecond(text: string): boolean {
  const before = text.replace(/^(.{16}):60/, "$1:59");
  return (
    before !== text &&
    INSTANT.test(before) &&
    new Date(before).toISOString().slice(11, 19) === "23:59:59"
  );
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

function limitsOf(rules: NumberRules): z.core.$ZodCheck<number>[] {
  const { exclusiveMaximum, exclusiveMinimum, format, maximum, minimum, multipleOf } = rules;
  return [
    ...(format === undefined ? [] : [z.meta({ format })]),
    ...(minimum === undefined ? [] : [z.minimum(minimum)]),
    ...(exclusiveMinimum === undefined ? [] : [z.gt(exclusiveMinimum)]),
    ...(maximum === undefined ? [] : [z.maximum(maximum)]),
    ...(exclusiveMaximum === undefined ? [] : [z.lt(exclusiveMaximum)]),
    // zod's own rule has a tolerance, so that 1e-20 would be a multiple of 0.01.
    ...keyword(multipleOf, (unit) => ({
      name: "multipleOf",
      holds: (value: number) => isMultiple(value, unit),
      code: "PRECISION",
      message: `must be a multiple of ${unit}`,
    })),
  ];
}

function isMultiple(value: number, of: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(of)) return value % of === 0;
  const one = decimalOf(value);
  const other = decimalOf(of);
  const power = Math.min(one.power, other.power);
  const units = ({ digits: number, power: own }: Decimal): bigint =>
    number * 10n ** BigInt(own - power);
  return units(one) % units(other) === 0n;
}

/** A decimal number: its digits, times a power of ten. */
interface Decimal {
  readonly digits: bigint;
  readonly power: number;
}

function decimalOf(value: number): Decimal {
  const [mantissa = "0", exponent = "0"] = String(Math.abs(value)).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), power: Number(exponent) - fraction.length };
}
