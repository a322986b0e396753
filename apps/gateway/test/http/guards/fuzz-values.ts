import * as fc from "fast-check";

/** Text in requests that no problem may repeat. */
export const MARKER = "marker-7f3a";

/** Texts that often cause faults in programs. */
const hostileTexts: readonly string[] = [
  "",
  " ",
  MARKER,
  "null",
  "undefined",
  "__proto__",
  "constructor",
  "toString",
  "../../etc/passwd",
  "%2e%2e%2f",
  "%00",
  "\u0000",
  "' OR 1=1 --",
  "'; DROP TABLE submissions; --",
  "<script>alert(1)</script>",
  "{{7*7}}",
  "\r\nx-injected: 1",
  "\ud83d",
  "\udfff\ud83d",
  "\u202e\u2066",
  "A\u0301".repeat(100),
  "ﷺ".repeat(60),
  "Ώ".repeat(201),
  "2023-02-29",
  "0000-00-00",
  "9999-12-31",
  "+2019-03-01",
  "2019-3-1",
  "2019-03-01T00:00:00Z",
  "٢٠١٩-٠٣-٠١",
  "١٢٣٤٥٦٧٨٩",
  "000000000",
  "1234567890",
  "-1",
  "1e309",
  "0x10",
  "9".repeat(400),
  "x".repeat(5_000),
];

/** Draws any text, but hostile texts more often than by chance. */
export const text: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
);

/** Draws the text of a JSON value, or of almost valid JSON. */
const json: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: text.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.double().map(String) },
  { weight: 1, arbitrary: fc.bigInt().map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "1e400",
      "-0",
      "1E+2",
      "00",
      "[",
      "{",
      "]",
      `${"[".repeat(40)}1`,
      "",
    ),
  },
);

/** Draws mostly from `usual`, sometimes from `other`. */
export function mostly<T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: other });
}

function seldom<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: 30, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
}

/** A field of JSON: its name, and the text of its value. */
type Field = readonly [name: string, value: fc.Arbitrary<string>];

/** Draws the text of an object with these fields. In some objects, another field replaces one of these fields. */
export function object(...fields: readonly Field[]): fc.Arbitrary<string> {
  const written = fields.map(([name, value]) =>
    value.map((text) => `${JSON.stringify(name)}:${text}`),
  );
  const more = fc.tuple(text, json).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return fc
    .tuple(fc.tuple(...written), seldom(fc.nat(fields.length)), more)
    .map(([whole, odd, extra]) => {
      const parts = odd === null ? whole : [...whole.slice(0, odd), ...whole.slice(odd + 1), extra];
      return `{${parts.join()}}`;
    });
}

/** Draws the text of a JSON value, mostly of one of these values. */
export function usually(...values: readonly unknown[]): fc.Arbitrary<string> {
  return fc.oneof(
    {
      weight: 9,
      arbitrary: fc.constantFrom(...values.map((value) => JSON.stringify(value))),
    },
    { weight: 1, arbitrary: json },
  );
}
