import { Refusal } from "@insurance-gateway/core/runtime";
import { type JSONVisitor, visit } from "jsonc-parser";

/** Faults of JSON text, with advice for the sender. */
const jsonFaults = {
  notUtf8: "The body is not UTF-8; send JSON in UTF-8.",
  byteOrderMark: "The body begins with a byte order mark; send JSON in UTF-8 without one.",
  notJson: "The body is not JSON (RFC 8259).",
  repeatedName: "An object in the body has the same name twice; send every name once.",
  halfCharacter: "A string in the body has half of a surrogate pair; send whole characters.",
  inexactNumber: "A number in the body is too large or has more digits than can be kept.",
} as const;

/** Maximum number of decimal digits that a double always represents exactly (IEEE 754). */
const SAFE_DIGITS = 15;
/** Maximum length of a number. No declared field needs more characters, and the exact check of long numbers is slow. */
const MAX_NUMBER_CHARACTERS = 40;

/**
 * Parses a JSON body that all JSON parsers read in the same way (RFC 8259, RFC 7493): UTF-8 without a byte order mark,
 * unique names in each object, no lone surrogates, only numbers that a double represents, limited nesting.
 * @param depth - maximum depth of nested objects and lists
 * @throws Refusal MALFORMED_JSON, which names the fault without quoting the body
 */
export function parseJson(body: Uint8Array, depth: number): unknown {
  const text = decode(body);
  if (text.startsWith("\ufeff")) throw malformedJson(jsonFaults.byteOrderMark);
  let value: unknown;
  try {
    // `JSON.parse` is not recursive, so no nesting overflows the stack.
    value = JSON.parse(text);
  } catch {
    // The parser's error message quotes the body.
    throw malformedJson(jsonFaults.notJson);
  }
  if (!isSurelyStrict(text, value, depth)) visit(text, createStrictVisitor(text, depth));
  return value;
}

/** Matches every number that a double may not represent exactly, and also some texts in strings. */
const UNUSUAL_NUMBER = /[\d.+-]{15}|\d[eE]/;

/**
 * Returns true if a JSON text surely follows all rules of `parseJson`, so that the slow check with `visit` is
 * unnecessary. If the text has as many colons as the parsed value has names, no name is repeated.
 */
function isSurelyStrict(text: string, value: unknown, depth: number): boolean {
  if (text.includes("\\") || UNUSUAL_NUMBER.test(text)) return false;
  let colons = 0;
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) colons += 1;
  return colons === countNames(value, depth);
}

/** Returns the number of names in all objects of a value; NaN if the nesting is deeper than `depth`. */
function countNames(value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth === 0) return Number.NaN;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let names = Array.isArray(value) ? 0 : members.length;
  for (const member of members) names += countNames(member, depth - 1);
  return names;
}

/** A decoder for all calls, because creating a decoder takes longer than decoding a short text. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw malformedJson(jsonFaults.notUtf8);
  }
}

/** Reports whether an object in a JSON text repeats a name. JSON parsers differ in how they read such an object. */
export function repeatsName(text: string): boolean {
  const names: Set<string>[] = [];
  let isRepeated = false;
  visit(text, {
    onObjectBegin: () => void names.push(new Set()),
    onObjectEnd: () => void names.pop(),
    onObjectProperty(name) {
      const known = names.at(-1);
      if (known?.has(name)) isRepeated = true;
      known?.add(name);
    },
  });
  return isRepeated;
}

/**
 * Creates the visitor that checks the rules of `parseJson` that `JSON.parse` does not check. The visitor throws at the
 * first value that is nested too deep, so that the recursion of `visit` is limited.
 */
function createStrictVisitor(text: string, depth: number): JSONVisitor {
  const names: Set<string>[] = [];
  // In text that was decoded from UTF-8, only an escape can be a lone surrogate.
  const escaped = text.includes("\\u");
  const requireWhole = (string: string): void => {
    if (escaped && !string.isWellFormed()) throw malformedJson(jsonFaults.halfCharacter);
  };
  const enter = (): void => {
    if (names.push(new Set()) > depth)
      throw malformedJson(
        `The body is nested deeper than ${depth} levels; send the declared form.`,
      );
  };
  const leave = (): void => void names.pop();
  return {
    onObjectBegin: enter,
    onObjectEnd: leave,
    onArrayBegin: enter,
    onArrayEnd: leave,
    onObjectProperty(name) {
      const known = names.at(-1);
      if (known?.has(name)) throw malformedJson(jsonFaults.repeatedName);
      known?.add(name);
      requireWhole(name);
    },
    onLiteralValue(value: unknown, offset, length) {
      if (typeof value === "string") requireWhole(value);
      if (typeof value === "number" && !isExact(text.slice(offset, offset + length), value))
        throw malformedJson(jsonFaults.inexactNumber);
    },
  };
}

/** Reports whether a double represents the written number exactly. */
function isExact(written: string, value: number): boolean {
  if (written.length <= SAFE_DIGITS && !/e/i.test(written)) return true;
  return (
    written.length <= MAX_NUMBER_CHARACTERS &&
    Number.isFinite(value) &&
    normalizeDecimal(written) === normalizeDecimal(String(value))
  );
}

/** Returns the same text for equal decimal numbers, without the sign: `0.125e2` for `12.50` and for `1.25e1`. */
function normalizeDecimal(decimal: string): string {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(decimal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `0.${significant}e${Number(exponent) - fraction.length + digits.length}`;
}

function malformedJson(detail: string): Refusal {
  return new Refusal("MALFORMED_JSON", { detail });
}
