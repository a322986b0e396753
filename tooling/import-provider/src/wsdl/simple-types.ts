import type { XmlScalar } from "@insurance-gateway/adapter/soap";
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
