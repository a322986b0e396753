import type { Names } from "../names/assign-names.ts";
import { camelCase } from "../names/words.ts";
import {
  type Definition,
  definitionsIn,
  type SchemaNode,
  type StringRules,
} from "../schemas/model.ts";
import type { Imports } from "./imports.ts";
import {
  call,
  escapeInvisible,
  type Layout,
  literal,
  object,
  propertyName,
  scalar,
} from "./layout.ts";

const CONTRACT = "@insurance-gateway/core/contract";
const SCHEMA = "@insurance-gateway/core/schema";

/**
 * The formats that an imported package checks in requests. The package checks no format in answers, because insurers
 * violate formats.
 */
const CHECKED_FORMATS = ["date", "date-time", "uuid", "email", "uri"];

/** A file of schemas while its text is written. */
export interface SourceFile {
  /** The name in `src/schemas` without extension. */
  readonly file: string;
  readonly names: Names;
  readonly imports: Imports;
  /** The constants with the values of the current definition's enumerations, by node. */
  readonly constants: Map<SchemaNode, string>;
  /** All constants of the file, by their values. */
  readonly known: Map<string, string>;
  /** The names of the file's constants. */
  readonly used: Set<string>;
  /** The definitions that are declared further down in this file. */
  readonly later: Set<Definition>;
}

/** Returns the TypeScript type of a schema. */
export function typeOf(node: SchemaNode, source: SourceFile, title: string): string {
  switch (node.type) {
    case "string":
    case "digits":
      return "string";
    case "number":
    case "integer":
      return "number";
    case "boolean":
    case "null":
      return node.type;
    case "anything":
      return "unknown";
    case "enum": {
      const [only] = node.values;
      if (node.values.length === 1) return scalar(only);
      const values = `(typeof ${constantOf(node, source, title)})[number]`;
      return node.open ? `${source.imports.add(CONTRACT, "OpenEnum", true)}<${values}>` : values;
    }
    case "list": {
      const item = typeOf(node.item, source, title);
      return / \| /.test(item) ? `(${item})[]` : `${item}[]`;
    }
    case "map":
      return definitionsIn(node.value).some(isOwnAlternative)
        ? // The compiler would expand a recursive `Record` endlessly.
          `{ [name: string]: ${typeOf(node.value, source, title)} }`
        : `Record<string, ${typeOf(node.value, source, title)}>`;
    case "nullable":
      return `${typeOf(node.inner, source, title)} | null`;
    case "file":
      return source.imports.add(CONTRACT, "FilePart", true);
    case "union":
      return [...new Set(node.alternatives.map((one) => typeOf(one, source, title)))].join(" | ");
    case "named":
      return typeName(node.definition, source);
    case "object":
      throw new TypeError("an object without a name");
  }
}

/** Returns the expression that builds a schema. */
export function builderOf(
  node: SchemaNode,
  source: SourceFile,
  side: Definition["side"],
  title: string,
): Layout {
  const build = (name: string, ...items: readonly (Layout | null)[]): Layout =>
    call(source.imports.add(SCHEMA, name), ...items.filter((item) => item !== null));
  const zod = (name: string, ...items: readonly Layout[]): Layout => {
    source.imports.add("zod/mini", "z");
    return call(`z.${name}`, ...items);
  };
  const inner = (one: SchemaNode): Layout => builderOf(one, source, side, title);
  switch (node.type) {
    case "string":
      return build("string", stringRules(node, side));
    case "digits":
      return build("digits");
    case "number":
    case "integer": {
      const { type, ...rules } = node;
      return build(type, rulesOf(rules));
    }
    case "boolean":
    case "null":
      return zod(node.type);
    case "anything":
      return build("anything");
    case "enum": {
      const [only] = node.values;
      if (node.values.length === 1) return zod("literal", scalar(only));
      const values = constantOf(node, source, title);
      if (node.open) return build("openEnum", `...${values}`);
      return zod(
        node.values.every((value) => typeof value === "string") ? "enum" : "literal",
        values,
      );
    }
    case "list": {
      const { item, joined, type, ...rules } = node;
      const list = build(type, inner(item), rulesOf(rules));
      return joined === true ? build("joined", list) : list;
    }
    case "map": {
      const { type, value, ...rules } = node;
      return build(type, inner(value), rulesOf(rules));
    }
    case "nullable":
      return zod("nullable", inner(node.inner));
    case "file":
      return build("file", rulesOf({ mediaTypes: node.mediaTypes }));
    case "union": {
      if (node.by === undefined)
        return build(node.mode === "one" ? "oneOf" : "anyOf", ...node.alternatives.map(inner));
      const alternatives = node.by.values.map(
        ([value, one]) => [propertyName(value), inner(one)] as const,
      );
      return build(
        "byValue",
        scalar(node.by.property),
        object(alternatives, true),
        node.by.open ? object([["open", "true"]]) : null,
      );
    }
    case "named": {
      const value = valueName(node.definition, source);
      const known = build("zod", value);
      return source.later.has(node.definition) ? zod("lazy", ["() => ", known]) : known;
    }
    case "object":
      throw new TypeError("an object without a name");
  }
}

function stringRules(
  { format, maxLength, minLength, pattern }: StringRules,
  side: Definition["side"],
): Layout | null {
  const members: (readonly [string, Layout] | null)[] = [
    minLength === undefined ? null : ["minLength", scalar(minLength)],
    maxLength === undefined ? null : ["maxLength", scalar(maxLength)],
    pattern === undefined
      ? null
      : ["pattern", escapeInvisible(new RegExp(pattern, "u").toString())],
    format === undefined ? null : ["format", scalar(format)],
    format !== undefined && side === "answer" && CHECKED_FORMATS.includes(format)
      ? ["annotated", "true"]
      : null,
  ];
  return members.every((member) => member === null) ? null : object(members);
}

function rulesOf(rules: Readonly<Record<string, unknown>>): Layout | null {
  const members = Object.entries(rules).filter(([, value]) => value !== undefined);
  return members.length === 0
    ? null
    : object(members.map(([name, value]) => [name, literal(value)] as const));
}

/** Returns the name of a definition's type, and imports it if it is in another file. */
function typeName(definition: Definition, source: SourceFile): string {
  const { file, type } = namesOf(definition, source);
  return file === source.file ? type : source.imports.add(`./${file}.ts`, type, true);
}

/** Returns the name of a definition's schema, and imports it if it is in another file. */
function valueName(definition: Definition, source: SourceFile): string {
  const { file, value } = namesOf(definition, source);
  return file === source.file ? value : source.imports.add(`./${file}.ts`, value);
}

function namesOf(
  definition: Definition,
  { names }: SourceFile,
): { file: string; type: string; value: string } {
  const found = names.get(definition);
  if (found === undefined) throw new TypeError(`${definition.title} has no name`);
  return found;
}

/** Reports whether a type alias contains itself: `type Json = string | Json[] | { [name: string]: Json }`. */
function isOwnAlternative(definition: Definition): boolean {
  const seen = new Set<Definition>();
  const within = (one: Definition): boolean => {
    if (seen.has(one) || one.node.type === "object") return false;
    seen.add(one);
    return definitionsIn(one.node).some((inner) => inner === definition || within(inner));
  };
  return within(definition);
}

/** Returns the constant for the values of an enumeration, so that the values are written only once. */
function constantOf(
  node: Extract<SchemaNode, { readonly type: "enum" }>,
  source: SourceFile,
  title: string,
): string {
  const values = JSON.stringify(node.values);
  const known = source.known.get(values);
  if (known !== undefined) return known;
  const base = camelCase(`${title} values`);
  let name = base;
  for (let number = 2; source.used.has(name); number += 1) name = `${base}${number}`;
  source.used.add(name);
  source.known.set(values, name);
  source.constants.set(node, name);
  return name;
}
