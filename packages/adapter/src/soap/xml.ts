import { randomUUID } from "node:crypto";
import { XMLBuilder, XMLParser } from "fast-xml-parser";

/** An element with its namespace instead of its prefix. */
export interface XmlElement {
  /** The name without its prefix. */
  readonly name: string;
  /** The namespace; "" without a namespace. */
  readonly namespace: string;
  readonly children: readonly XmlElement[];
  /** The text of the element, including its CDATA sections. */
  readonly text: string;
  /** True if the element is marked as having no value (`xsi:nil`). */
  readonly isNil: boolean;
  /** The attributes without the declarations of prefixes. */
  readonly attributes: readonly XmlAttribute[];
  /** The namespaces that this element can use, by prefix; "" is the prefix of the default namespace. */
  readonly prefixes: Readonly<Record<string, string>>;
}

/** An attribute with its namespace instead of its prefix. */
export interface XmlAttribute {
  readonly name: string;
  /** The namespace; "" for an attribute without a prefix. */
  readonly namespace: string;
  readonly value: string;
}

/** The namespace of `xsi:nil` and `xsi:type`. */
export const SCHEMA_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance";

/** Maximum nesting depth, far above that of any message. Without limits, a document could use all memory. */
const MAXIMUM_DEPTH = 64;
/** Maximum number of tags, far above that of any message. */
const MAXIMUM_TAGS = 200_000;

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  textNodeName: "#text",
  cdataPropName: "#cdata",
  trimValues: false,
  // Keep texts: as numbers, a tax number or a code of digits would lose its leading zeros.
  parseTagValue: false,
  parseAttributeValue: false,
  // Custom entities are never resolved. The code below decodes the predefined entities and character references.
  processEntities: false,
  ignorePiTags: true,
  // This limit does not count the root.
  maxNestedTags: MAXIMUM_DEPTH - 1,
});

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  format: false,
  // The function `characterReference` escapes more: also the characters that parsers would change.
  processEntities: false,
  tagValueProcessor: (_, value) => String(value).replaceAll(/[&<>"'\r]/g, characterReference),
  attributeValueProcessor: (_, value) =>
    String(value).replaceAll(/[&<>"'\t\n\r]/g, characterReference),
  // Do not omit the attribute value "true".
  suppressBooleanAttributes: false,
});

/**
 * Reads an XML document like `readXml`.
 * @returns null if the document cannot be read
 */
export function parseXml(text: string): XmlElement | null {
  const read = readXml(text);
  return typeof read === "string" ? null : read;
}

/**
 * Reads an XML document with its namespaces. A document with a document type is refused before it is parsed, because
 * only a document type can declare entities.
 * @returns the root, or the fault as the end of a sentence that begins with the document
 */
export function readXml(text: string): XmlElement | string {
  if (/<!(DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)/i.test(text)) return "has a document type";
  if (text.includes("\0") || !text.isWellFormed())
    return "has half of a surrogate pair or a null character";
  if (countOf("<", text) > MAXIMUM_TAGS) return `has more than ${MAXIMUM_TAGS} tags`;
  const { restored, short } = withoutLongTexts(text);
  try {
    const scope = PREDEFINED_PREFIXES;
    const [root, ...more] = elementsIn(parser.parse(short, true), { scope, restored });
    return root === undefined || more.length > 0 ? "does not have exactly one root" : root;
  } catch (error) {
    return error instanceof DocumentFault ? error.message : "is not well-formed, or too deep";
  }
}

/** A fault of namespaces or references in a document. The message never quotes a text of the document. */
class DocumentFault extends Error {}

/**
 * Writes a tree of names and values as XML. `@name` is an attribute, and a list is a repeated element.
 * @param charset - the charset in the XML declaration
 */
export function writeXml(tree: object, charset = "UTF-8"): string {
  return `<?xml version="1.0" encoding="${charset.toUpperCase()}"?>${builder.build(tree)}`;
}

/** Returns the charset in an XML declaration, which is at the beginning of a document. */
export function charsetInXml(head: string): string | undefined {
  return /^(?:\u00ef\u00bb\u00bf)?<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z][\w.-]*)["']/.exec(
    head,
  )?.[1];
}

function countOf(character: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/** Minimum length of a text that is treated as a base64 document, because the parser is slow for long texts. */
const MIN_LONG_TEXT_LENGTH = 65_536;

/**
 * Replaces each long text between tags by a random name. No document can contain such a name, not even as references.
 * So each text is restored only once, and a hostile document cannot grow.
 */
function withoutLongTexts(text: string): {
  readonly short: string;
  readonly restored: (text: string) => string;
} {
  const parts: string[] = [];
  const taken = new Map<string, string>();
  let from = 0;
  for (let tag = text.indexOf(">"); tag >= 0; ) {
    const end = text.indexOf("<", tag);
    if (end < 0) break;
    const content = end - tag > MIN_LONG_TEXT_LENGTH ? text.slice(tag + 1, end) : "";
    // A base64 text contains neither `&` nor `>`. A `>` could end a CDATA section or a comment.
    if (content !== "" && !content.includes("&") && !content.includes(">")) {
      const name = `text-${randomUUID()}`;
      parts.push(text.slice(from, tag + 1), name);
      taken.set(name, content);
      from = end;
    }
    tag = text.indexOf(">", end);
  }
  return {
    short: parts.join("") + text.slice(from),
    restored: (short) =>
      taken.size === 0 ? short : short.replaceAll(PLACEHOLDERS, (name) => taken.get(name) ?? name),
  };
}

const PLACEHOLDERS = /text-[\da-f-]{36}/g;

/** The state of reading a document. */
interface ReadingState {
  readonly scope: PrefixScope;
  /** Restores the removed long texts in a text. */
  readonly restored: (text: string) => string;
}

/** The namespaces that a part of a document can use, by prefix. */
type PrefixScope = Readonly<Record<string, string>>;

/** The namespaces that no document need declare, by prefix (Namespaces in XML 1.0, section 3). */
const PREDEFINED_PREFIXES: PrefixScope = Object.assign(Object.create(null), {
  "": "",
  xml: "http://www.w3.org/XML/1998/namespace",
  xmlns: "http://www.w3.org/2000/xmlns/",
});

/** Returns the elements among the parser's nodes: `[{ name: nodes, ":@": attributes }]`. */
function elementsIn(nodes: unknown, reading: ReadingState): readonly XmlElement[] {
  return asList(nodes).flatMap((node) => {
    const [name, content] = Object.entries(Object(node)).find(([key]) => key !== ":@") ?? ["#text"];
    return name.startsWith("#") || name.startsWith("?")
      ? []
      : [elementOf(name, content, node, reading)];
  });
}

function elementOf(
  tag: string,
  content: unknown,
  node: unknown,
  { restored, scope: outer }: ReadingState,
): XmlElement {
  const written = Object.entries(Object(Reflect.get(Object(node), ":@"))).map(
    ([name, value]) => [name, decodeReferences(String(value))] as const,
  );
  const declared = written.flatMap(([name, value]) => {
    const prefix = declaredPrefixIn(name);
    return prefix === null ? [] : [[prefix, value] as const];
  });
  const scope = innerScope(outer, declared);
  const { name, namespace } = resolvePrefix(tag, scope);
  const attributes = written
    .filter(([key]) => declaredPrefixIn(key) === null)
    .map(([key, value]): XmlAttribute => {
      // The default namespace does not apply to attributes (Namespaces in XML 1.0, section 6.2).
      const found = key.includes(":") ? resolvePrefix(key, scope) : { name: key, namespace: "" };
      return { ...found, value };
    });
  return {
    name,
    namespace,
    children: elementsIn(content, { scope, restored }),
    text: restored(asList(content).map(nodeText).join("")),
    isNil: attributes.some(
      (one) =>
        one.namespace === SCHEMA_INSTANCE && one.name === "nil" && /^(true|1)$/.test(one.value),
    ),
    attributes,
    prefixes: scope,
  };
}

/** Returns the prefix that an attribute declares, "" for the default namespace, or null for other attributes. */
function declaredPrefixIn(name: string): string | null {
  const match = /^xmlns(?::(.+))?$/.exec(name);
  return match === null ? null : (match[1] ?? "");
}

/** Creates the prefixes of an element. They inherit the outer prefixes, because copies would use far more memory. */
function innerScope(
  outer: PrefixScope,
  declared: readonly (readonly [string, string])[],
): PrefixScope {
  if (declared.length === 0) return outer;
  const scope: Record<string, string> = Object.create(outer);
  for (const [prefix, namespace] of declared)
    Object.defineProperty(scope, prefix, { value: namespace });
  return scope;
}

function resolvePrefix(name: string, scope: PrefixScope): Pick<XmlElement, "name" | "namespace"> {
  const [local = "", prefix = ""] = name.split(":").toReversed();
  const namespace = scope[prefix];
  if (namespace === undefined)
    throw new DocumentFault(
      `uses ${/^[\w.-]{1,32}$/.test(prefix) ? `the prefix ${prefix}` : "a prefix"}, which it does not declare (xmlns:…)`,
    );
  return { name: local, namespace };
}

function nodeText(node: unknown): string {
  const { "#cdata": cdata, "#text": text }: { "#cdata"?: unknown; "#text"?: unknown } =
    Object(node);
  if (cdata !== undefined)
    return asList(cdata)
      .map((part) => String(Object(part)["#text"]))
      .join("");
  return text === undefined ? "" : decodeReferences(String(text));
}

/** The entities that documents need not declare (XML 1.0, section 4.6). */
const predefinedEntities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** Decodes in one pass the references that need no document type (XML 1.0, sections 4.1 and 4.6). */
function decodeReferences(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&([^;&]{0,10});?/g, (reference, name: string) => {
    const [, decimal, hexadecimal] = /^#(?:(\d+)|x([0-9A-Fa-f]+))$/.exec(name) ?? [];
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
    const character = Number.isNaN(code) ? predefinedEntity(name) : String.fromCodePoint(code);
    if (character === undefined || !reference.endsWith(";"))
      throw new DocumentFault("uses an entity that is not predefined");
    // XML has no such characters (XML 1.0, section 2.2). Each half of a surrogate pair is refused.
    if (character === "\0" || !character.isWellFormed())
      throw new DocumentFault("has a reference to something that is not a character");
    return character;
  });
}

function predefinedEntity(name: string): string | undefined {
  return Object.hasOwn(predefinedEntities, name) ? predefinedEntities[name] : undefined;
}

/**
 * Writes a character as a reference, because a parser changes a plain carriage return to a line feed, and a plain tab
 * or line feed in an attribute to a space (XML 1.0, sections 2.11 and 3.3.3).
 */
function characterReference(character: string): string {
  const known = Object.entries(predefinedEntities).find(([, one]) => one === character);
  return `&${known?.[0] ?? `#${character.charCodeAt(0)}`};`;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
