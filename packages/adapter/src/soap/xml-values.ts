import { escapePointer } from "@insurance-gateway/core/runtime";
import { UnsendableError } from "../dialect.ts";
import { contentOf, type IsOwn } from "./message.ts";
import { SCHEMA_INSTANCE, type XmlElement } from "./xml.ts";
import { convertText, type XmlScalar, xmlTextOf } from "./xml-scalars.ts";

/** A field of the declared value, and the field's element or attribute in XML. */
export interface XmlField {
  readonly name: string;
  /** The name of the element or attribute. Default: the name of the field. */
  readonly xmlName?: string;
  /** The namespace of the name, if it differs from the namespace of the type. */
  readonly namespace?: string;
  /** The place of the field: an element (default), an attribute, or the text of the element itself. */
  readonly is?: "attribute" | "text";
  /** The conversion of the text. Default: `text`. */
  readonly as?: XmlScalar;
  /** The name of the type of an element with inner fields. */
  readonly type?: string;
  /** True for a list in which each item is an element of this name. */
  readonly repeats?: true;
  /** True for a list in one text, separated by spaces. */
  readonly spaced?: true;
}

/** The fields of an element, in the order of the insurer's schema. */
export interface XmlType {
  /** The namespace of the inner elements. Default: none. */
  readonly namespace?: string;
  readonly fields: readonly XmlField[];
}

/** The types of an insurer's messages by name. */
export type XmlTypes = Readonly<Record<string, XmlType>>;

/** An element with its type. Omit the type of an empty element. */
export interface XmlMessage {
  readonly name: string;
  /** The namespace of the element; "" for no namespace. */
  readonly namespace: string;
  readonly type?: string;
}

/** Functions that write and read the values of an insurer's types. */
export interface XmlValues {
  /**
   * Builds the tree of an element, for `writeXml`.
   * @param place - the JSON Pointer of the value
   * @throws UnsendableError for a value that XML cannot express
   */
  write(message: XmlMessage, value: unknown, place: string): object;
  /**
   * Reads an element. Fields that the type does not have are returned unchanged. A text that cannot be converted stays
   * a text, which the declared schema then rejects. XML has no empty lists: if the element is missing, an answer has an
   * empty list, and a request has no list.
   */
  read(message: XmlMessage, element: XmlElement, side: "request" | "answer"): XmlReading;
  /** Reports whether a namespace belongs to the insurer. */
  readonly isOwn: IsOwn;
}

/** The value of an element, and the inner elements that could not be read. */
export interface XmlReading {
  readonly value: unknown;
  /**
   * The names of elements in a wrong namespace that are missing in the right namespace. Such an element is an error and
   * must not count as missing.
   */
  readonly misplaced: readonly string[];
}

/** Creates the functions that write and read the values of types. */
export function xmlValues(types: XmlTypes, messages: readonly XmlMessage[]): XmlValues {
  const namespaces = namespacesOf(types, messages);
  const writing: WritingState = {
    types,
    prefixes: new Map(namespaces.map((namespace, index) => [namespace, `n${index}`])),
  };
  const isOwn = (namespace: string): boolean => namespace === "" || namespaces.includes(namespace);
  return {
    isOwn,
    write({ name, namespace, type }, value, place) {
      const declared = namespaces.map((one, index) => [`@xmlns:n${index}`, one]);
      return {
        [prefixedName(writing, namespace, name)]: {
          ...Object.fromEntries(declared),
          "@xmlns:xsi": SCHEMA_INSTANCE,
          ...(type === undefined ? {} : elementTreeOf(writing, type, value, place)),
        },
      };
    },
    read({ type }, element, side) {
      const misplaced: string[] = [];
      const reading: ReadingState = { types, isOwn, misplaced, hasEmptyLists: side === "answer" };
      const value = type === undefined ? undefined : readFields(reading, type, element);
      return { value, misplaced };
    },
  };
}

/** The namespace of the prefix `xml`. Documents need not declare this prefix. */
const XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace";

function namespacesOf(types: XmlTypes, messages: readonly XmlMessage[]): readonly string[] {
  const used = [
    ...messages.map(({ namespace }) => namespace),
    ...Object.values(types).flatMap(({ fields, namespace }) => [
      namespace,
      ...fields.map((field) => field.namespace),
    ]),
  ];
  return [...new Set(used)].filter(
    (one): one is string => one !== undefined && one !== "" && one !== XML_NAMESPACE,
  );
}

interface WritingState {
  readonly types: XmlTypes;
  readonly prefixes: ReadonlyMap<string, string>;
}

function prefixedName({ prefixes }: WritingState, namespace: string, name: string): string {
  if (namespace === XML_NAMESPACE) return `xml:${name}`;
  const prefix = prefixes.get(namespace);
  return prefix === undefined ? name : `${prefix}:${name}`;
}

/** Builds the tree of a value: first the attributes, then the elements in the order of the schema. */
function elementTreeOf(
  writing: WritingState,
  typeName: string,
  value: unknown,
  place: string,
): object {
  const type = findType(writing.types, typeName);
  if (typeof value !== "object" || value === null) throw new UnsendableError(place);
  const members = type.fields.flatMap((field): readonly (readonly [string, unknown])[] => {
    const found = propertyOf(value, field.name);
    if (found === undefined) return [];
    const at = `${place}/${escapePointer(field.name)}`;
    if (field.is === "text") return [["#text", xmlTextOf(field, found, at)]];
    const name = prefixedName(writing, fieldNamespaceOf(type, field), field.xmlName ?? field.name);
    if (field.is === "attribute") return [[`@${name}`, xmlTextOf(field, found, at)]];
    const element = (one: unknown, where: string): unknown =>
      one === null
        ? { "@xsi:nil": "true" }
        : field.type === undefined
          ? xmlTextOf(field, one, where)
          : elementTreeOf(writing, field.type, one, where);
    if (field.repeats !== true) return [[name, element(found, at)]];
    if (!Array.isArray(found)) throw new UnsendableError(at);
    return [[name, found.map((one, index) => element(one, `${at}/${index}`))]];
  });
  return Object.fromEntries(members);
}

function propertyOf(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

function findType(types: XmlTypes, name: string): XmlType {
  const found = Object.hasOwn(types, name) ? types[name] : undefined;
  if (found === undefined) throw new TypeError(`The dialect has no type ${name}`);
  return found;
}

function fieldNamespaceOf({ namespace = "" }: XmlType, field: XmlField): string {
  return field.namespace ?? (field.is === "attribute" ? "" : namespace);
}

interface ReadingState {
  readonly types: XmlTypes;
  readonly isOwn: IsOwn;
  /** The names of the elements in a wrong namespace that were found so far. */
  readonly misplaced: string[];
  readonly hasEmptyLists: boolean;
}

function readFields(reading: ReadingState, typeName: string, element: XmlElement): unknown {
  if (element.isNil) return null;
  const type = findType(reading.types, typeName);
  const unread = new Set(element.children);
  const found = type.fields.map((field): readonly [string, unknown] => {
    const name = field.xmlName ?? field.name;
    const namespace = fieldNamespaceOf(type, field);
    const isField = (one: { readonly name: string; readonly namespace: string }): boolean =>
      one.name === name && one.namespace === namespace;
    if (field.is === "text") return [field.name, convertText(field, element.text)];
    if (field.is === "attribute") {
      const text = element.attributes.find(isField)?.value;
      return [field.name, text === undefined ? undefined : convertText(field, text)];
    }
    const elements = element.children.filter(isField);
    for (const one of elements) unread.delete(one);
    const values = elements.map((one) =>
      field.type === undefined
        ? readLeafElement(reading, field, one)
        : readFields(reading, field.type, one),
    );
    const isMissing = values.length === 0 && !reading.hasEmptyLists;
    // For a repeated element that may occur only once, return a list, so that the schema rejects the answer.
    const isList = values.length > 1 || (field.repeats === true && !isMissing);
    return [field.name, isList ? values : values[0]];
  });
  noteMisplaced(reading, type, element, unread);
  const known = new Set(type.fields.map(({ name }) => name));
  const others = contentOf({ ...element, children: [...unread], text: "" }, reading.isOwn);
  return Object.fromEntries([
    ...found.filter(([, value]) => value !== undefined),
    ...Object.entries(Object(others)).filter(([name]) => !known.has(name)),
  ]);
}

/** Records an unknown element that has the name of a missing field: its namespace is wrong. */
function noteMisplaced(
  { misplaced }: ReadingState,
  type: XmlType,
  { children }: XmlElement,
  unread: ReadonlySet<XmlElement>,
): void {
  if (unread.size === 0) return;
  const foundNames = new Set(
    children.filter((child) => !unread.has(child)).map(({ name }) => name),
  );
  const missingNames = new Set(
    type.fields
      .filter(({ is }) => is === undefined)
      .map(({ name, xmlName }) => xmlName ?? name)
      .filter((name) => !foundNames.has(name)),
  );
  for (const { name } of unread) if (missingNames.has(name)) misplaced.push(name);
}

function readLeafElement({ isOwn }: ReadingState, field: XmlField, element: XmlElement): unknown {
  if (element.isNil) return null;
  return field.as === "anything" ? contentOf(element, isOwn) : convertText(field, element.text);
}
