import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import { check, type FaultCode, type Schema } from "../../src/contract/index.ts";
import {
  afm,
  amount,
  count,
  date,
  decimal,
  instant,
  openEnum,
  strict,
  text,
  zodSchema,
} from "../../src/schema/index.ts";

const formats: Readonly<Record<string, Schema<unknown>>> = {
  afm: zodSchema(afm()),
  date: zodSchema(date()),
  instant: zodSchema(instant()),
  text: zodSchema(text()),
  amount: zodSchema(amount()),
  count: zodSchema(count()),
  decimal: zodSchema(decimal()),
  openEnum: zodSchema(openEnum("PRIVATE", "TAXI")),
  closedList: zodSchema(mini.enum(["EUR"])),
  shortList: zodSchema(mini.array(mini.string()).check(mini.maxLength(1))),
};

function faultsOf(format: string, value: unknown) {
  const schema = formats[format];
  if (schema === undefined) throw new TypeError(`There is no format ${format}`);
  const checked = check(schema, value);
  return checked.valid ? [] : checked.faults;
}

const accepted: readonly (readonly [string, unknown])[] = [
  ["afm", "123456789"],
  ["afm", "000000000"],
  ["date", "2024-02-29"],
  ["date", "2000-02-29"],
  ["date", "1900-01-01"],
  ["instant", "2026-11-21T08:00:00Z"],
  ["instant", "2026-11-21T08:00:00.123Z"],
  ["text", "Ω"],
  ["text", "x".repeat(200)],
  ["amount", 66.66],
  ["amount", 0.01],
  ["amount", 4.35],
  ["amount", 1234567.89],
  ["amount", 999999999999.99],
  ["amount", 100],
  ["count", 1],
  ["count", 20],
  ["decimal", "1234.50"],
  ["decimal", "-0.05"],
  ["openEnum", "PRIVATE"],
  ["openEnum", "HOVERCRAFT"],
  ["closedList", "EUR"],
];

const refused: readonly (readonly [string, unknown, FaultCode, string])[] = [
  ["afm", "12345678", "FORMAT", "must be 9 digits"],
  ["afm", "1234567890", "FORMAT", "must be 9 digits"],
  ["afm", "12345678x", "FORMAT", "must be 9 digits"],
  ["afm", "123456789\n", "FORMAT", "must be 9 digits"],
  ["afm", "١٢٣٤٥٦٧٨٩", "FORMAT", "must be 9 digits"],
  ["afm", 123456789, "TYPE", "must be a string"],
  ["date", "2026-02-29", "FORMAT", "must be a date that exists, written YYYY-MM-DD"],
  ["date", "1900-02-29", "FORMAT", "must be a date that exists, written YYYY-MM-DD"],
  ["date", "2026-04-31", "FORMAT", "must be a date that exists, written YYYY-MM-DD"],
  ["date", "2026-13-01", "FORMAT", "must be a date that exists, written YYYY-MM-DD"],
  ["date", "21/11/2026", "FORMAT", "must be a date that exists, written YYYY-MM-DD"],
  ["date", "2026-11-21T08:00:00Z", "FORMAT", "must be a date that exists, written YYYY-MM-DD"],
  ["instant", "2026-11-21", "FORMAT", "must be an instant, written as RFC 3339"],
  ["instant", "2026-11-21T08:00Z", "FORMAT", "must be an instant, written as RFC 3339"],
  ["instant", "2026-11-21T08:00:00", "FORMAT", "must be an instant, written as RFC 3339"],
  ["instant", "2026-11-21T10:00:00+02:00", "FORMAT", "must be in UTC, with Z at the end"],
  ["text", "", "FORMAT", "must not be blank"],
  ["text", " \t\u00a0", "FORMAT", "must not be blank"],
  ["text", "x".repeat(201), "LENGTH", "must have at most 200 characters"],
  ["amount", 0, "RANGE", "must be more than 0"],
  ["amount", -5, "RANGE", "must be more than 0"],
  ["amount", 1.005, "PRECISION", "must have at most two decimal places"],
  ["amount", 0.1 + 0.2, "PRECISION", "must have at most two decimal places"],
  ["amount", 5e-324, "PRECISION", "must have at most two decimal places"],
  ["amount", "66.66", "TYPE", "must be a number"],
  ["amount", Number.NaN, "TYPE", "must be a number"],
  ["amount", Number.POSITIVE_INFINITY, "TYPE", "must be a number"],
  ["count", 0, "RANGE", "must be more than 0"],
  ["count", -1, "RANGE", "must be more than 0"],
  ["count", 1.5, "TYPE", "must be a whole number"],
  ["decimal", "1234.5", "FORMAT", "must be a decimal number with two places"],
  ["decimal", "1,234.50", "FORMAT", "must be a decimal number with two places"],
  ["decimal", 1234.5, "TYPE", "must be a string"],
  ["openEnum", 1, "TYPE", "must be a string"],
  ["closedList", "USD", "VALUE", "must be one of EUR"],
  ["shortList", ["a", "b"], "LENGTH", "must have at most 1 items"],
];

describe("field formats", () => {
  it.each(accepted)("the format %s accepts the value %j", (format, value) => {
    expect(faultsOf(format, value)).toEqual([]);
  });

  it.each(refused)(
    "the format %s refuses the value %j with the code %s and the message %j",
    (format, value, code, message) => {
      expect(faultsOf(format, value)).toEqual([{ pointer: "", code, message }]);
    },
  );

  it("the format of an amount accepts every amount of whole cents up to 1,000.00", () => {
    const cents = Array.from({ length: 100_000 }, (_, index) => (index + 1) / 100);
    expect(cents.filter((value) => faultsOf("amount", value).length > 0)).toEqual([]);
  });

  it("the JSON Schema of an amount contains the rule about two decimal places", () => {
    expect(z.toJSONSchema(amount())).toMatchObject({
      exclusiveMinimum: 0,
      "x-rules": [{ path: [], rule: "twoDecimals" }],
    });
  });
});

describe("messages of faults", () => {
  afterEach(() => z.config(z.locales.en()));

  it("a fault's message never contains the refused value", () => {
    const canary = "123456780-canary";
    for (const format of Object.keys(formats).filter((name) => !/text|openEnum/.test(name)))
      for (const value of [canary, [canary], { [canary]: canary }])
        expect(JSON.stringify(faultsOf(format, value))).not.toContain("canary");
  });

  it("the messages of faults stay in English if the application sets another language in zod", () => {
    const classic = z.object({ a: z.string() });
    z.config(z.locales.el());
    expect(classic.safeParse({ a: 1 }).error?.message).toMatch(/[α-ω]/);
    for (const [format, value, code, message] of refused)
      expect(faultsOf(format, value)).toEqual([{ pointer: "", code, message }]);
    const named = strict<{ a: string }>({ a: text() });
    expect(check(named, { b: 1 })).toMatchObject({
      faults: [
        { pointer: "/a", code: "REQUIRED", message: "is required" },
        { pointer: "/b", code: "UNKNOWN_FIELD", message: "is not an accepted field" },
      ],
    });
  });
});
