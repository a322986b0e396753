import { QUOTE } from "./raw-case.ts";

/** The body of a request, and the expected result. */
export interface JsonCase {
  readonly name: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** `200`, or the status and code of a problem. */
  readonly answer: string;
  /** The expected text of the problem. */
  readonly says: RegExp;
}

/** Text in bodies that a problem must not repeat. */
export const SECRET = "geheim";

const more = (json: string): string => QUOTE.replace("{", `{${json},`);
const contribution = (number: string): string => QUOTE.replace("100", number);
const nested = (depth: number): string =>
  more(`"${SECRET}":${"[".repeat(depth - 1)}1${"]".repeat(depth - 1)}`);
const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(parts.flatMap((part) => [...Buffer.from(part)]));

const row =
  (answer: string, says: RegExp) =>
  (name: string, body: JsonCase["body"]): JsonCase => ({ name, body, answer, says });

const accepted = row("200", /^/);
const invalid = row("400 VALIDATION_FAILED", /^One fault was found|^\d faults were found/);
const malformed = (says: RegExp): ReturnType<typeof row> => row("400 MALFORMED_JSON", says);
const notJson = malformed(/^The body is not JSON \(RFC 8259\)\.$/);
const notUtf8 = malformed(/^The body is not UTF-8; /);
const mark = malformed(/byte order mark/);
const twice = malformed(/the same name twice/);
const tooDeep = malformed(/nested deeper than 32 levels/);
const half = malformed(/half of a surrogate pair/);
const inexact = malformed(/too large or has more digits/);
const empty = malformed(/^The body is empty/);

/** Bodies with JSON of RFC 8259, and bodies that two readers could understand in two ways (RFC 7493). */
export const jsonCases: readonly JsonCase[] = [
  accepted("a quote", QUOTE),
  accepted("white space around everything", ` \t\r\n${QUOTE.replaceAll(/[:,]/g, " $&\n")}\n`),
  accepted("escapes of ordinary letters", QUOTE.replace("1985", "\\u0031985")),
  accepted("an escaped name", QUOTE.replace("personDob", "person\\u0044ob")),
  accepted("decimal places with zeros only", contribution("100.00")),
  accepted("an exponent", contribution("1e2")),
  accepted("an exponent with a sign", contribution("10000E-2")),
  accepted("fifteen digits", contribution("1234567890123.45")),
  accepted("twenty decimal places with zeros only", contribution("100.00000000000000000000")),
  accepted("zeros that a negative exponent removes", contribution("1000000000000000e-13")),
  accepted("zeros before the digits", contribution("0.000000000000000000125E+20")),

  empty("no body", ""),
  notJson("white space alone", "  "),
  notJson("an object without its end", QUOTE.slice(0, -1)),
  notJson("something after the object", `${QUOTE}{}`),
  notJson("a comma at the end", QUOTE.replace("}", ",}")),
  notJson("a comment", QUOTE.replace("{", "{/* x */")),
  notJson("a comment to the end of the line", QUOTE.replace("{", "{// x\n")),
  notJson("single quotes", QUOTE.replaceAll('"', "'")),
  notJson("a name without quotes", QUOTE.replace('"personDob"', "personDob")),
  notJson("NaN", contribution("NaN")),
  notJson("Infinity", contribution("-Infinity")),
  notJson("undefined", contribution("undefined")),
  notJson("a hexadecimal number", contribution("0x64")),
  notJson("a number with a zero before it", contribution("0100")),
  notJson("a number with a plus", contribution("+100")),
  notJson("a number without a digit before the point", contribution(".5")),
  notJson("a number without a digit after the point", contribution("100.")),
  notJson("a line break in a string", QUOTE.replace("1985", "19\n85")),
  notJson("a NUL in a string", QUOTE.replace("1985", "19\u000085")),
  notJson("an invalid escape", QUOTE.replace("1985", "\\x31985")),
  notJson("half an escape", QUOTE.replace("1985", "\\u31")),
  notJson("a no-break space between a name and its value", QUOTE.replace(":", ":\u00a0")),
  notJson("an XML document", "<quote/>"),
  notJson("65,536 brackets", "[".repeat(65_536)),
  notJson("13,000 objects without their ends", '{"a":'.repeat(13_000)),

  notUtf8("a byte that UTF-8 never has", bytes(QUOTE.slice(0, 20), [0xff], QUOTE.slice(20))),
  notUtf8("half a character", bytes('{"a":"', [0xce], '"}')),
  notUtf8("a character in too many bytes", bytes('{"a":"', [0xc0, 0xae], '"}')),
  notUtf8("a surrogate in UTF-8", bytes('{"a":"', [0xed, 0xa0, 0x80], '"}')),
  notUtf8(
    "a character beyond the last code point",
    bytes('{"a":"', [0xf4, 0x90, 0x80, 0x80], '"}'),
  ),
  notUtf8("UTF-16 with its mark", bytes([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00])),
  notJson("UTF-16 without its mark", bytes([0x7b, 0x00, 0x7d, 0x00])),
  notUtf8("ISO 8859-7", bytes('{"a":"', [0xcc, 0xe1, 0xf1], '"}')),
  mark("UTF-8 with a byte order mark", `\ufeff${QUOTE}`),
  mark("a byte order mark alone", "\ufeff"),

  twice("a name twice", more('"durationYears":20')),
  twice("a name twice, once in escapes", more('"\\u0064urationYears":20')),
  twice("a name twice in an object within", more(`"${SECRET}":{"${SECRET}":1,"${SECRET}":1}`)),
  twice("a name twice in a list", more('"x":[[],{"a":1},{"a":1,"b":[],"a":2}]')),
  twice("a prototype twice", more('"__proto__":1,"__proto__":2')),
  invalid("one name in two objects", more('"x":{"a":1},"y":{"a":1},"z":[{"a":1},{"a":1}]')),

  invalid("32 levels", nested(32)),
  tooDeep("33 levels", nested(33)),
  tooDeep("33 levels of objects", `${'{"a":'.repeat(33)}1${"}".repeat(33)}`),
  tooDeep("32,768 levels", `${"[".repeat(32_768)}${"]".repeat(32_768)}`),
  invalid("many lists side by side", more(`"x":[${Array(1_000).fill("[[]]").join()}]`)),

  invalid("a whole character in escapes", QUOTE.replace("1985", "\\ud83d\\ude00")),
  half("the first half of a character", QUOTE.replace("1985", "\\ud83d")),
  half("the second half of a character", QUOTE.replace("1985", "\\ude00")),
  half("two halves in the wrong order", QUOTE.replace("1985", "\\ude00\\ud83d")),
  half("half a character in a name", more(`"${SECRET}\\udfff":1`)),

  inexact("a number that is too large for a double", contribution("1e400")),
  inexact("a number that would be rounded to zero", contribution("1e-400")),
  inexact("a whole number of 17 digits", contribution("12345678901234567")),
  inexact("a fraction that would be rounded", contribution("100.000000000000001")),
  inexact("a number of a thousand digits", contribution("1".repeat(1_000))),
  inexact("an inexact number in an undeclared field", more('"x":[9007199254740993]')),
  inexact("a round number of 41 digits", more(`"x":1${"0".repeat(40)}`)),
  inexact("a fraction of 17 digits", more('"x":0.12345678901234567')),
  inexact("zero that is written with more than 40 characters", more(`"x":0.${"0".repeat(39)}`)),
  invalid("zero that is written with 40 characters", more(`"x":0.${"0".repeat(38)}`)),
  invalid("a round number of 40 digits", more(`"x":1${"0".repeat(39)}`)),
  invalid("a round number with decimal places of zeros", more('"x":-1200000000000000000.00')),
  invalid("a small fraction of few digits", more('"x":-0.000000000000000000012500')),
  invalid("a number that a double has exactly", contribution("5e-324")),

  invalid("a prototype", more('"__proto__":{"durationYears":1}')),
  invalid("a constructor", more('"constructor":{"prototype":{}}')),
  invalid("a prototype instead of a field", QUOTE.replace("durationYears", "__proto__")),
  invalid("a list", `[${QUOTE}]`),
  invalid("a string", JSON.stringify(QUOTE)),
  invalid("a number", "1"),
  invalid("null", "null"),
  invalid("a number as a string", contribution('"100"')),
  invalid("minus zero", contribution("-0")),
];
