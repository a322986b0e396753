import { check, type Schema } from "@insurance-gateway/core/contract";
import { isObject } from "./difference.ts";
import {
  alternativesOf,
  isOfType,
  itemsOf,
  type JsonSchema,
  listedValues,
  mapValueSchema,
  type SchemaDocument,
  schemaDocumentOf,
} from "./json-schema.ts";

/** Returns an example with the structure of an answer and synthetic values; null if no such example fits the schema. */
export type ScrubAnswer = (value: unknown) => unknown;

/**
 * Creates the function that scrubs answers with a declared schema. An example keeps the declared fields, null, true and
 * false, the lengths of texts, and listed values. Everything else is synthetic: other texts, numbers, days and times,
 * and the keys of maps. Undeclared fields are left out. The function is pure.
 */
export function createScrub(schema: Schema<unknown>): ScrubAnswer {
  const document = schemaDocumentOf(schema);
  return (value) => {
    const scrubbed = scrubbedValue({ document, seen: new Map() }, document.root, value);
    return check(schema, scrubbed).valid ? scrubbed : null;
  };
}

interface ScrubState {
  readonly document: SchemaDocument;
  /** Ordinal number of each text and number in the answer, so that equal values stay equal in the example. */
  readonly seen: Map<unknown, number>;
}

/** Maximum number of items that a list keeps; more items would not show more of its form. */
const MAX_LIST_ITEMS = 3;
const MAX_TEXT_LENGTH = 200;

function scrubbedValue(scrubbing: ScrubState, part: JsonSchema, value: unknown): unknown {
  const node = chooseAlternative(scrubbing, scrubbing.document.resolved(part), value);
  const listed = listedValues(node);
  if (listed.length > 0) return listed.includes(value) ? value : listed[0];
  if (Array.isArray(value)) return scrubbedList(scrubbing, node, value);
  if (isObject(value)) return scrubbedObject(scrubbing, node, value);
  if (typeof value === "string")
    return scrubbedText(ordinalNumberOf(scrubbing, value), node, value);
  if (typeof value === "number") return scrubbedNumber(ordinalNumberOf(scrubbing, value), value);
  // True, false and null tell no more about a person than the field's name does.
  return value;
}

/** Returns the alternative that lists the value, or that has the value's type and most of its fields. */
function chooseAlternative(scrubbing: ScrubState, node: JsonSchema, value: unknown): JsonSchema {
  const alternatives = alternativesOf(node).map((one) =>
    chooseAlternative(scrubbing, scrubbing.document.resolved(one), value),
  );
  const ranked = alternatives.toSorted((one, other) => fitOf(other, value) - fitOf(one, value));
  return ranked[0] ?? node;
}

function fitOf(node: JsonSchema, value: unknown): number {
  if (listedValues(node).includes(value)) return 1_000;
  if (!isOfType(node, value)) return -1;
  const names = isObject(value) ? Object.keys(value) : [];
  return names.filter((name) => Object.hasOwn(node.properties ?? {}, name)).length;
}

function scrubbedList(
  scrubbing: ScrubState,
  node: JsonSchema,
  items: readonly unknown[],
): readonly unknown[] {
  const all = itemsOf(node);
  return items.slice(0, MAX_LIST_ITEMS).flatMap((item, index) => {
    const schema = node.prefixItems?.[index] ?? all;
    return schema === undefined ? [] : [scrubbedValue(scrubbing, schema, item)];
  });
}

function scrubbedObject(
  scrubbing: ScrubState,
  node: JsonSchema,
  value: Readonly<Record<string, unknown>>,
): object {
  const { allOf = [], properties = {} } = node;
  const values = mapValueSchema(node);
  const declared = Object.entries(properties).flatMap(([name, schema]) =>
    Object.hasOwn(value, name) ? [[name, scrubbedValue(scrubbing, schema, value[name])]] : [],
  );
  const others = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  const keyed =
    values === undefined
      ? []
      : others
          .slice(0, MAX_LIST_ITEMS)
          .map((name, index) => [`key${index + 1}`, scrubbedValue(scrubbing, values, value[name])]);
  const parts = allOf.map((one) => scrubbedValue(scrubbing, one, value));
  return Object.assign({}, ...parts, Object.fromEntries([...declared, ...keyed]));
}

function ordinalNumberOf({ seen }: ScrubState, value: unknown): number {
  const known = seen.get(value) ?? seen.size + 1;
  seen.set(value, known);
  return known;
}

/** Returns a day of a month, 1 to 28, that every month has. */
function dayOfMonth(number: number): string {
  return String(((number - 1) % 28) + 1).padStart(2, "0");
}

function scrubbedText(number: number, { format }: JsonSchema, text: string): string {
  if (format === "date") return `2026-01-${dayOfMonth(number)}`;
  if (format === "date-time") return `2026-01-${dayOfMonth(number)}T10:00:00Z`;
  const parts = text.slice(0, MAX_TEXT_LENGTH).split(/([^\p{L}\p{N}]+)/u);
  const shaped = parts.map((part, index) =>
    index % 2 === 1 ? keepPunctuation(part) : scrubbedWord(part),
  );
  return writeIntoLastDigits(shaped.join(""), number);
}

function keepPunctuation(part: string): string {
  return part.replaceAll(/[^ .,:/-]/g, "-");
}

/**
 * Replaces letters and digits, and keeps alphabet and case. A long word of letters and digits, such as base64, becomes
 * `x` throughout.
 */
function scrubbedWord(word: string): string {
  if (word.length > 12 && /\p{L}/u.test(word) && /\p{N}/u.test(word))
    return "x".repeat(word.length);
  return word
    .replaceAll(/\p{N}/gu, "1")
    .replaceAll(/\p{Script=Greek}/gu, (letter) => (isCapital(letter) ? "Α" : "α"))
    .replaceAll(/\p{Script=Latin}/gu, (letter) => (isCapital(letter) ? "A" : "a"))
    .replaceAll(/[^1ΑαAa]/gu, "x");
}

function isCapital(letter: string): boolean {
  return letter !== letter.toLowerCase();
}

/** Writes a number into the last digits of a text, so that different texts stay different. */
function writeIntoLastDigits(text: string, number: number): string {
  return text.replace(/1+(?=[^1]*$)/, (digits) => fillDigits(digits, number));
}

/** Writes a number into the last digits. A leading 0 becomes 1, because the declaration may forbid the number 0. */
function fillDigits(digits: string, number: number): string {
  const label = String(number).slice(-digits.length);
  return digits.slice(0, -label.length) + label.replace(/^0/, "1");
}

/** Returns a synthetic number with as many digits before and after the decimal point as `value`. */
function scrubbedNumber(number: number, value: number): number {
  const [whole = "", decimals] = Math.abs(value).toFixed(decimalsOf(value)).split(".");
  const digits = fillDigits(whole.replaceAll(/\d/g, "1"), number);
  const made = Number(decimals === undefined ? digits : `${digits}.${"1".repeat(decimals.length)}`);
  return value < 0 ? -made : made;
}

const MAX_DECIMALS = 6;

function decimalsOf(value: number): number {
  const [, decimals = ""] = String(value).split(".");
  return Math.min(decimals.length, MAX_DECIMALS);
}
