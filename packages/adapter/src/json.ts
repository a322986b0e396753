/** The result of parsing JSON. */
export interface ParsedJson {
  readonly value: unknown;
  /** True if the value can be written again without a change; false if a number became a string. */
  readonly isAsWritten: boolean;
}

/**
 * Parses JSON. A whole number that JavaScript cannot represent exactly, such as a 64-bit identifier, becomes a string
 * of its digits: 9007199254740993 would otherwise become …992.
 * @returns null if the text is not JSON
 */
export function parseJson(text: string): ParsedJson | null {
  let isAsWritten = true;
  const keepDigits = (
    _: string,
    value: unknown,
    { source }: { readonly source?: string },
  ): unknown => {
    if (typeof value !== "number" || source === undefined || staysNumber(source, value))
      return value;
    isAsWritten = false;
    return source;
  };
  try {
    // Shorter numbers are always exact. This shortcut parses the answer to a quote in 3.5 µs instead of 20 µs.
    const value: unknown = hasLongNumber(text)
      ? parseWithSource(text, keepDigits)
      : JSON.parse(text);
    return { value, isAsWritten };
  } catch {
    return null;
  }
}

/** Number of digits from which a double cannot represent every whole number (IEEE 754). */
const LONG_NUMBER_DIGITS = 16;

/**
 * Reports whether a text has LONG_NUMBER_DIGITS consecutive digits. The function checks only every sixteenth character,
 * because such a number has a digit at one of these places. This takes 4 µs for a list of 29 kB; a regular expression
 * takes 34 µs.
 */
function hasLongNumber(text: string): boolean {
  for (let at = LONG_NUMBER_DIGITS - 1; at < text.length; at += LONG_NUMBER_DIGITS) {
    if (!isDigit(text, at)) continue;
    let [first, last] = [at, at];
    while (isDigit(text, first - 1)) first -= 1;
    while (isDigit(text, last + 1)) last += 1;
    if (last - first + 1 >= LONG_NUMBER_DIGITS) return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** TypeScript's library does not declare the third argument of a reviver (ECMA-262, 25.5.1.1). */
const parseWithSource = JSON.parse as (
  text: string,
  reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

/** Reports whether a parsed number stays a number. Every fraction stays; a whole number stays only if it is exact. */
function staysNumber(source: string, value: number): boolean {
  return !/^-?\d+$/.test(source) || Number.isSafeInteger(value);
}
