import type { XmlScalar } from "@insurance-gateway/adapter/soap";
import type { JsonObject } from "../document/references.ts";
import type { SimpleType } from "./simple-types.ts";

/** A simple type as JSON Schema, with the way in which the adapter reads texts of the type. */
export interface TranslatedSimple {
  readonly schema: JsonObject;
  readonly as: XmlScalar;
  readonly isSpaced: boolean;
  readonly unchecked: readonly string[];
}

/** Converts a simple type to JSON Schema. */
export function translatedSimple(type: SimpleType): TranslatedSimple {
  const { list } = type;
  const { as, schema, unchecked } = scalarOf(type);
  if (list === undefined) return { schema, as, unchecked, isSpaced: false };
  return { schema: { type: "array", items: schema, ...list }, as, unchecked, isSpaced: true };
}

function scalarOf(type: SimpleType): Omit<TranslatedSimple, "isSpaced"> {
  const { as, format, maxLength, minLength, pattern, values } = type;
  const limits = {
    minimum: type.minimum,
    maximum: type.maximum,
    exclusiveMinimum: type.exclusiveMinimum,
    exclusiveMaximum: type.exclusiveMaximum,
  };
  const isLimited = Object.values(limits).some((limit) => limit !== undefined);
  const unchecked = [...type.unchecked];
  switch (as) {
    case "boolean":
      return { as, schema: { type: "boolean" }, unchecked };
    case "number":
    case "integer":
    case "digits": {
      const [least, most] = wholeLimits(type);
      const isSmall =
        as === "integer" ||
        (Number.isSafeInteger(least) && Number.isSafeInteger(most)) ||
        values?.every((value) => Number.isSafeInteger(Number(value))) === true;
      if (pattern !== undefined) unchecked.push("The pattern of a number is not checked.");
      if (as === "digits" && !isSmall) {
        if (least !== undefined || most !== undefined)
          unchecked.push("The limits of a 64-bit number are not checked.");
        if (values !== undefined)
          unchecked.push("A 64-bit number is not checked against its list of allowed values.");
        return { as, schema: { type: "integer", format: "int64" }, unchecked };
      }
      const enumeration = values?.map(Number).filter(Number.isFinite);
      const rules = as === "number" ? limits : { minimum: least, maximum: most };
      return {
        as: as === "number" ? "number" : "integer",
        schema: present({
          type: as === "number" ? "number" : "integer",
          ...rules,
          enum: enumeration,
        }),
        unchecked,
      };
    }
    case "decimal": {
      if (isLimited) unchecked.push("The limits of a decimal are not checked.");
      if (type.totalDigits !== undefined && decimalsOf(type) > MAX_PATTERN_DECIMALS)
        unchecked.push("The total number of digits of a decimal is not checked.");
      const schema =
        values === undefined
          ? { type: "string", format: "decimal", pattern: pattern ?? decimalPattern(type) }
          : { type: "string", enum: values };
      return { as, schema, unchecked };
    }
    default: {
      if (isLimited) unchecked.push("The limits of a date or time are not checked.");
      const lengths = as === "base64" ? {} : { minLength, maxLength };
      return {
        as,
        schema: present({ type: "string", format, ...lengths, pattern, enum: values }),
        unchecked,
      };
    }
  }
}

/** Returns the limits of a whole number, from its facets for limits and for the number of digits. */
function wholeLimits(type: SimpleType): readonly [number | undefined, number | undefined] {
  const most = type.totalDigits === undefined ? undefined : 10 ** type.totalDigits - 1;
  const above = type.exclusiveMinimum === undefined ? undefined : type.exclusiveMinimum + 1;
  const under = type.exclusiveMaximum === undefined ? undefined : type.exclusiveMaximum - 1;
  const least = [type.minimum, above, most === undefined ? undefined : -most];
  const largest = [type.maximum, under, most];
  const known = (limits: readonly (number | undefined)[]): readonly number[] =>
    limits.filter((limit) => limit !== undefined);
  return [
    known(least).length === 0 ? undefined : Math.max(...known(least)),
    known(largest).length === 0 ? undefined : Math.min(...known(largest)),
  ];
}

/** Maximum number of decimal places in a pattern, because the pattern has one alternative for each decimal place. */
const MAX_PATTERN_DECIMALS = 6;

/** Returns the maximum number of decimal places of a type from its facets for digits. */
function decimalsOf({ fractionDigits, totalDigits }: SimpleType): number {
  return Math.min(
    fractionDigits ?? Number.POSITIVE_INFINITY,
    totalDigits ?? Number.POSITIVE_INFINITY,
  );
}

/**
 * Returns the pattern of a decimal. Trailing zeros do not count as digits. Each decimal place reduces the digits before
 * the point by one (XML Schema part 2, sections 4.3.11 and 4.3.12).
 */
function decimalPattern(type: SimpleType): string {
  const { fractionDigits, totalDigits } = type;
  const most = decimalsOf(type);
  if (totalDigits !== undefined && most <= MAX_PATTERN_DECIMALS) {
    const before = (digits: number): string =>
      digits === 0 ? "0" : `(?:0|[1-9]\\d{0,${digits - 1}})`;
    const alternatives = Array.from({ length: most }, (_, index) => index + 1).map(
      (decimals) => `${before(totalDigits - decimals)}\\.${decimalDigits(decimals)}`,
    );
    return `^-?(?:${[`${before(totalDigits)}(?:\\.0+|)`, ...alternatives].join("|")})$`;
  }
  const digitsBefore = totalDigits === undefined ? "*" : `{0,${Math.max(0, totalDigits - 1)}}`;
  const after =
    fractionDigits === undefined
      ? String.raw`\d+`
      : fractionDigits === 0
        ? "0+"
        : decimalDigits(fractionDigits);
  return `^-?(?:0|[1-9]\\d${digitsBefore})(?:\\.${after}|)$`;
}

/**
 * Returns a pattern for a maximum number of decimal places. Further zeros are possible only at the end, so that there
 * is only one way to match.
 */
function decimalDigits(most: number): string {
  return most === 1 ? String.raw`\d0*` : `(?:\\d{${most}}0*|\\d{1,${most - 1}})`;
}

function present(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
