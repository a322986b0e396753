import type { SoapVersion, XmlElement } from "@insurance-gateway/adapter/soap";
import { textOf } from "../document/references.ts";
import { ImportFault } from "../report.ts";

/** The XML namespaces that the importer reads. */
export const XSD = "http://www.w3.org/2001/XMLSchema";
export const WSDL = "http://schemas.xmlsoap.org/wsdl/";
export const SOAP_BINDINGS: Readonly<Record<SoapVersion, string>> = {
  "1.1": "http://schemas.xmlsoap.org/wsdl/soap/",
  "1.2": "http://schemas.xmlsoap.org/wsdl/soap12/",
};

/** An element of a file, with its place. */
export interface XmlNode {
  readonly element: XmlElement;
  /** The place for messages: `insurer.wsdl: definitions/portType[Motor]/operation[issue]`. */
  readonly at: string;
}

/** Returns the child elements of a namespace, with one of these names or with any name. */
export function childrenOf(
  { at, element }: XmlNode,
  namespace: string,
  ...names: readonly string[]
): readonly XmlNode[] {
  return element.children
    .filter(
      (one) => one.namespace === namespace && (names.length === 0 || names.includes(one.name)),
    )
    .map((one) => ({ element: one, at: `${at}/${labelOf(one)}` }));
}

/** Returns the first child element with a namespace and one of these names. */
export function childOf(
  node: XmlNode,
  namespace: string,
  ...names: readonly string[]
): XmlNode | undefined {
  return childrenOf(node, namespace, ...names)[0];
}

function labelOf({ attributes, name }: XmlElement): string {
  const own = attributes.find((one) => one.name === "name" || one.name === "ref")?.value;
  return own === undefined ? name : `${name}[${own.slice(0, 80)}]`;
}

/** Returns an attribute without a namespace, trimmed. */
export function attributeOf({ element }: XmlNode, name: string): string | undefined {
  return element.attributes.find((one) => one.name === name && one.namespace === "")?.value.trim();
}

/** Matches the names that XML allows (Namespaces in XML 1.0) and that cannot be code. */
const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}._-]{0,199}$/u;

/**
 * Returns the name that an element declares.
 * @throws ImportFault for a missing or invalid name
 */
export function nameOf(node: XmlNode): string {
  return checkedName(attributeOf(node, "name") ?? "", node);
}

function checkedName(name: string, { at }: XmlNode): string {
  if (NAME.test(name) && name !== "__proto__") return name;
  throw new ImportFault(
    `has the name ${JSON.stringify(name.slice(0, 80))}, which is not a valid name`,
    at,
  );
}

/** A name with its namespace. */
export interface QName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Returns the qualified name in an attribute; undefined without the attribute.
 * @param usual - the namespace of names without prefix if the file declares no default namespace
 * @throws ImportFault for an invalid name or an undeclared prefix
 */
export function qnameIn(node: XmlNode, attribute: string, usual = ""): QName | undefined {
  const written = attributeOf(node, attribute);
  return written === undefined ? undefined : qnameOf(node, written, usual);
}

/** Returns the qualified name that a text such as `xs:string` means in a file. */
function qnameOf(node: XmlNode, written: string, usual = ""): QName {
  const [local = "", prefix = ""] = written.split(":").toReversed();
  const { prefixes } = node.element;
  const found = prefixes[prefix];
  if (found === undefined && prefix !== "")
    throw new ImportFault(`uses the prefix ${prefix}, which is not declared`, node.at);
  return { namespace: found || usual, name: checkedName(local, node) };
}

/** Returns a unique text for a qualified name. */
export function keyOf({ name, namespace }: QName): string {
  return `{${namespace}}${name}`;
}

/** Returns the documentation of a component. */
export function documentationOf(node: XmlNode): string | undefined {
  const holders = [node, ...childrenOf(node, XSD, "annotation")];
  const texts = holders
    .flatMap((one) => [
      ...childrenOf(one, XSD, "documentation"),
      ...childrenOf(one, WSDL, "documentation"),
    ])
    .map(({ element }) => element.text.trim().replaceAll(/[ \t]*\n\s*/g, "\n"));
  return textOf(texts.filter((text) => text !== "").join("\n\n"));
}
