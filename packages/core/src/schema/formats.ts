import * as z from "zod/mini";
import { namedRules, type RuleName } from "../contract/named-rules.ts";
import type { OpenEnum } from "../contract/schema.ts";
import { string } from "./scalars.ts";

/**
 * Creates the schema of a Greek tax identification number (ΑΦΜ): 9 digits, as a string, because leading zeros count.
 * Only the insurer verifies the check digit.
 */
export function afm(): z.ZodMiniType<string, string> {
  return z.string().check(z.regex(/^\d{9}$/, { error: "must be 9 digits" }));
}

/** Creates the schema of a date that exists in the calendar, `YYYY-MM-DD`. */
export function date(): z.ZodMiniType<string, string> {
  return z.iso.date();
}

/** Creates the schema of an instant, RFC 3339 in UTC: `2026-11-21T08:00:00Z`. */
export function instant(): z.ZodMiniType<string, string> {
  return string({ format: "date-time" }).check(
    z.meta({ "x-rules": [{ path: [], rule: "utc" satisfies RuleName }] }),
    z.refine((value) => !/[+-]\d{2}:\d{2}$/.test(value), {
      error: namedRules.utc.message,
      params: { code: namedRules.utc.code },
    }),
  );
}

/** Creates the schema of a text that is not blank, by default of at most 200 characters. */
export function text(maximum = 200): z.ZodMiniType<string, string> {
  return z.string().check(z.maxLength(maximum), z.regex(/\S/, { error: "must not be blank" }));
}

/** Creates the schema of a request's amount of money: a positive JSON number with at most two decimal places. */
export function amount(): z.ZodMiniType<number, number> {
  return z.number().check(
    z.positive(),
    // `multipleOf` is not used: most validators of JSON Schema divide, and then refuse 66.66.
    z.meta({
      "x-rules": [{ path: [], rule: "twoDecimals" satisfies RuleName }],
    }),
    z.refine((value) => Number(value.toFixed(2)) === value, {
      error: namedRules.twoDecimals.message,
      params: { code: namedRules.twoDecimals.code },
    }),
  );
}

/** Creates the schema of a positive whole number. */
export function count(): z.ZodMiniType<number, number> {
  return z.int().check(z.positive());
}

/** Creates the schema of an answer's amount or rate: a decimal string with two places, `"1234.50"`. */
export function decimal(): z.ZodMiniType<string, string> {
  return z
    .string()
    .check(z.regex(/^-?\d+\.\d{2}$/, { error: "must be a decimal number with two places" }));
}

/** Creates the schema of a string with known values, to which the insurer may add others. */
export function openEnum<const Known extends string>(
  ...known: readonly Known[]
): z.ZodMiniType<OpenEnum<Known>, OpenEnum<Known>> {
  return z.string().check(z.meta({ examples: known, "x-extensible-enum": known }));
}
