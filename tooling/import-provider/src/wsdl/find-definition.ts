import { ImportFault } from "../report.ts";
import { attributeOf, childrenOf, keyOf, nameOf, type QName, WSDL, type XmlNode } from "./nodes.ts";

/** Finds a definition of the WSDL by its kind and qualified name. */
export type FindDefinition = (
  kind: "binding" | "message" | "portType",
  name: QName,
  from: XmlNode,
) => XmlNode;

/** Returns a function that finds definitions in the files of a WSDL, and throws an ImportFault for a missing one. */
export function definitionFinder(definitions: readonly XmlNode[]): FindDefinition {
  const found = new Map<string, XmlNode>();
  for (const file of definitions)
    for (const node of childrenOf(file, WSDL, "binding", "message", "portType")) {
      const namespace = attributeOf(file, "targetNamespace") ?? "";
      found.set(`${node.element.name} ${keyOf({ namespace, name: nameOf(node) })}`, node);
    }
  return (kind, name, from) => {
    const node = found.get(`${kind} ${keyOf(name)}`);
    if (node === undefined)
      throw new ImportFault(`names the ${kind} ${keyOf(name)}, which is not there`, from.at);
    return node;
  };
}
