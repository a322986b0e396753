import { attributeOf, childrenOf, type XmlNode } from "./nodes.ts";

/** The namespaces of WS-Policy 1.2 and 1.5. */
const NAMESPACES = [
  "http://schemas.xmlsoap.org/ws/2004/09/policy",
  "http://www.w3.org/ns/ws-policy",
];

/**
 * Reports whether a policy of the WSDL requires a user name and a password in each message (WS-SecurityPolicy, section
 * 5.4.1).
 */
export function asksForUsernameToken(root: XmlNode): boolean {
  return policiesIn(root).some((policy) =>
    asserts(policy.element, ({ name }) => name === "UsernameToken"),
  );
}

/**
 * Returns the policy by which the messages of a binding must be MTOM messages, with files outside the XML
 * (WS-MTOMPolicy); undefined if no such policy exists or if the policy is optional.
 * @param definitions - the files of the document, to whose policies a binding refers by id
 */
export function mtomPolicyOf(
  binding: XmlNode,
  definitions: readonly XmlNode[],
): XmlNode | undefined {
  const references = new Set(
    NAMESPACES.flatMap((namespace) => childrenOf(binding, namespace, "PolicyReference")).map(
      (reference) => attributeOf(reference, "URI"),
    ),
  );
  return [
    ...policiesIn(binding),
    ...definitions.flatMap(policiesIn).filter((policy) => references.has(`#${idOf(policy)}`)),
  ].find((policy) =>
    asserts(policy.element, (one) => one.name === "OptimizedMimeSerialization" && !isOptional(one)),
  );
}

function policiesIn(node: XmlNode): readonly XmlNode[] {
  return NAMESPACES.flatMap((namespace) => childrenOf(node, namespace, "Policy"));
}

/** Returns the `wsu:Id` of a policy. */
function idOf({ element }: XmlNode): string {
  return element.attributes.find(({ name }) => name === "Id")?.value.trim() ?? "";
}

function asserts(
  { children }: XmlNode["element"],
  isMeant: (assertion: XmlNode["element"]) => boolean,
): boolean {
  return children.some((child) => isMeant(child) || asserts(child, isMeant));
}

function isOptional({ attributes }: XmlNode["element"]): boolean {
  return attributes.some(({ name, value }) => name === "Optional" && value.trim() === "true");
}
