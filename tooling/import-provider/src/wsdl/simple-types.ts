import type { XmlScalar } from "@insurance-gateway/adapter/soap";
import type { JsonObject } from "../document/references.ts";
import { ImportFault } from "../report.ts";
import { attributeOf, childrenOf, type QName, type XmlNode, XSD } from "./nodes.ts";

/** A simple type of a schema, as far as declarations can express it. */
export interface SimpleType {
  readonly as: XmlScalar;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly totalDigits?: number;
  readonly fractionDigits?: number;
  readonly pattern?: string;
  readonly values?: readonly string[];
  /** The limits of a list that is written in one text. */
  readonly list?: { readonly minItems?: number; readonly maxItems?: number };
  /** The rules that the package does not check, as sentences. */
  readonly unchecked: readonly string[];
}

const text: SimpleType = { as: "text", unchecked: [] };
const token: SimpleType = { as: "token", unchecked: [] };
const digits: SimpleType = { as: "digits", unchecked: [] };

function whole(minimum: number, maximum: number): SimpleType {
  return { as: "integer", minimum, maximum, unchecked: [] };
}

/** The built-in types of XML Schema (part 2, section 3). */
const BUILT_IN: Readonly<Record<string, SimpleType>> = {
  string: text,
  normalizedString: text,
  boolean: { as: "boolean", unchecked: [] },
  decimal: { as: "decimal", unchecked: [] },
  float: { as: "number", unchecked: [] },
  double: { as: "number", unchecked: [] },
  integer: digits,
  nonNegativeInteger: { ...digits, minimum: 0 },
  positiveInteger: { ...digits, minimum: 1 },
  nonPositiveInteger: { ...digits, maximum: 0 },
  negativeInteger: { ...digits, maximum: -1 },
  long: digits,
  unsignedLong: { ...digits, minimum: 0 },
  int: whole(-(2 ** 31), 2 ** 31 - 1),
  unsignedInt: whole(0, 2 ** 32 - 1),
  short: whole(-(2 ** 15), 2 ** 15 - 1),
  unsignedShort: whole(0, 2 ** 16 - 1),
  byte: whole(-128, 127),
  unsignedByte: whole(0, 255),
  date: { as: "date", format: "date", unchecked: [] },
  // XML Schema allows times without an offset; answers may contain them, because formats of answers are not checked.
  dateTime: { ...token, format: "date-time" },
  time: { ...token, format: "time" },
  gYear: { ...token, pattern: String.raw`^-?\d{4,}(?:|Z|[+-]\d\d:\d\d)$` },
  base64Binary: { as: "base64", format: "byte", unchecked: [] },
  anyURI: { ...token, format: "uri" },
  duration: { ...token, format: "duration" },
};

/** Returns a built-in type of XML Schema; unlisted types are trimmed texts. */
export function builtIn(name: string): SimpleType {
  const found = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
  if (found !== undefined) return found;
  return /^(NMTOKENS|IDREFS|ENTITIES)$/.test(name) ? { ...token, list: {} } : token;
}

/** Finds a simple type by its name. */
export type FindSimple = (name: QName, from: XmlNode, depth: number) => SimpleType;

/** Maximum length of a chain of simple types; a longer chain is a cycle. */
const MAX_TYPE_CHAIN = 50;

/**
 * Reads a `simpleType`, or a restriction of a simple type.
 * @throws ImportFault for a type that contains itself
 */
export function readSimpleType(
  node: XmlNode,
  find: FindSimple,
  qname: (node: XmlNode, attribute: string) => QName | undefined,
  depth = 0,
): SimpleType {
  if (depth > MAX_TYPE_CHAIN) throw new ImportFault("is a type that is made of itself", node.at);
  const inner = (one: XmlNode): SimpleType => readSimpleType(one, find, qname, depth + 1);
  const [how] = childrenOf(node, XSD, "restriction", "list", "union");
  if (how === undefined) return token;
  const inline = childrenOf(how, XSD, "simpleType").map(inner);
  const named = (attribute: string): SimpleType | undefined => {
    const name = qname(how, attribute);
    return name === undefined ? undefined : find(name, how, depth + 1);
  };
  switch (how.element.name) {
    case "restriction":
      return restrictType(inline[0] ?? named("base") ?? token, how);
    case "list":
      return { ...(inline[0] ?? named("itemType") ?? token), list: {} };
    default: {
      const members = (attributeOf(how, "memberTypes") ?? "").split(/\s+/).filter(Boolean);
      const types = members.map((member) => {
        const element = { ...how.element, attributes: [attribute("base", member)] };
        const name = qname({ ...how, element }, "base");
        return name === undefined ? token : find(name, how, depth + 1);
      });
      return unionOf([...types, ...inline]);
    }
  }
}

function attribute(name: string, value: string): XmlNode["element"]["attributes"][number] {
  return { name, namespace: "", value };
}

/** Merges the types of a union: a list of all values if each type lists its values, otherwise any text. */
function unionOf(types: readonly SimpleType[]): SimpleType {
  const isListed = types.every(({ list, values }) => values !== undefined && list === undefined);
  if (isListed && types.length > 0)
    return { ...token, values: [...new Set(types.flatMap(({ values = [] }) => values))] };
  return { ...text, unchecked: ["A type that combines several types accepts any text."] };
}

/** Returns a type with the facets of a restriction (XML Schema part 2, section 4.3). */
export function restrictType(base: SimpleType, restriction: XmlNode): SimpleType {
  const facets = childrenOf(restriction, XSD);
  const valuesOf = (name: string): readonly string[] =>
    facets
      .filter(({ element }) => element.name === name)
      .map((facet) => facet.element.attributes.find((one) => one.name === "value")?.value ?? "");
  const numberOf = (name: string): number | undefined => {
    const [value] = valuesOf(name);
    const number = Number(value ?? Number.NaN);
    return Number.isFinite(number) ? number : undefined;
  };
  const length = numberOf("length");
  const shortest = numberOf("minLength") ?? length;
  const longest = numberOf("maxLength") ?? length;
  const patterns = valuesOf("pattern");
  const values = valuesOf("enumeration");
  const isCollapsed = base.as === "text" && valuesOf("whiteSpace").includes("collapse");
  const unchecked = [...base.unchecked];
  if (base.list !== undefined) {
    if (patterns.length + values.length > 0)
      unchecked.push("The rules for a list as a whole are not checked.");
    return {
      ...base,
      list: {
        ...base.list,
        ...(shortest === undefined ? {} : { minItems: shortest }),
        ...(longest === undefined ? {} : { maxItems: longest }),
      },
      unchecked,
    };
  }
  if (patterns.length > 0 && base.pattern !== undefined)
    unchecked.push("Only the last of several patterns is checked.");
  return {
    ...base,
    ...(isCollapsed ? { as: "token" } : {}),
    ...defined({
      minLength: shortest,
      maxLength: longest,
      minimum: numberOf("minInclusive"),
      maximum: numberOf("maxInclusive"),
      exclusiveMinimum: numberOf("minExclusive"),
      exclusiveMaximum: numberOf("maxExclusive"),
      totalDigits: numberOf("totalDigits"),
      fractionDigits: numberOf("fractionDigits"),
    }),
    ...(patterns.length === 0 ? {} : { pattern: patternOf(patterns) }),
    ...(values.length === 0 ? {} : { values }),
    unchecked,
  };
}

function defined<Names extends string>(
  members: Readonly<Record<Names, number | undefined>>,
): Partial<Record<Names, number>> {
  const found = Object.entries(members).filter(([, value]) => value !== undefined);
  // All names are from `members`, and their values are numbers.
  return Object.fromEntries(found) as Partial<Record<Names, number>>;
}

/**
 * Converts patterns of XML Schema to one pattern of ECMA-262. A pattern of XML Schema matches the whole text, and ^ and
 * $ are ordinary characters in it.
 */
function patternOf(patterns: readonly string[]): string {
  const translated = patterns.map((pattern) =>
    pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]|[\^$]/gs, (part) =>
      // ECMA-262 does not allow an escaped hyphen outside brackets.
      part === "^" || part === "$" ? `\\${part}` : part === "\\-" ? "-" : part,
    ),
  );
  return `^(?:${translated.join("|")})$`;
}

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
