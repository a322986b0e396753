import type { XmlMessage } from "@insurance-gateway/adapter/soap";
import { ImportFault } from "../report.ts";
import type { FindDefinition } from "./find-definition.ts";
import { attributeOf, childOf, childrenOf, nameOf, qnameIn, WSDL, type XmlNode } from "./nodes.ts";
import type { TranslatedType } from "./translated-types.ts";
import type { RpcPart, TypeReader } from "./types.ts";

/** A part of a WSDL operation that the import loses. */
export interface OperationLoss {
  readonly at: string;
  readonly effect: string;
}

/** A WSDL operation in its binding and in its port type, with the losses found so far. */
export interface OperationNodes {
  readonly operation: XmlNode;
  readonly declared: XmlNode;
  readonly isRpc: boolean;
  readonly losses: OperationLoss[];
}

interface MessageContext {
  readonly find: FindDefinition;
  /** The namespace of the binding's SOAP element. */
  readonly namespace: string;
  readonly types: TypeReader;
}

interface Message {
  /** The element in the body of the SOAP message; undefined for an empty body. */
  readonly message?: XmlMessage;
  readonly type: TranslatedType | undefined;
}

/** Reads the input or output message of an operation; null if the operation does not have this message. */
export function readMessage(
  direction: "input" | "output",
  { declared, isRpc, losses, operation }: OperationNodes,
  { find, namespace: soap, types }: MessageContext,
): Message | null {
  const abstract = childOf(declared, WSDL, direction);
  if (abstract === undefined) return null;
  const name = qnameIn(abstract, "message");
  if (name === undefined) throw new ImportFault("has no message", abstract.at);
  const message = find("message", name, abstract);
  const bound = childOf(operation, WSDL, direction);
  const body = bound && childOf(bound, soap, "body");
  if (bound?.element.children.some((child) => child.name === "multipartRelated") === true)
    throw new ImportFault("has attachments (multipart/related)", bound.at);
  if (bound === undefined || body === undefined)
    throw new ImportFault(`has no soap:body for its ${direction}`, operation.at);
  for (const header of childrenOf(bound, soap, "header"))
    losses.push({
      at: header.at,
      effect:
        direction === "input"
          ? "The SOAP header is not sent."
          : "The SOAP header of the answer is not read.",
    });
  if (attributeOf(body, "use") === "encoded")
    throw new ImportFault(
      'is encoded (use="encoded"), and only literal messages can be imported',
      body.at,
    );
  const inHeaders = new Set(
    childrenOf(bound, soap, "header")
      .filter((header) => qnameIn(header, "message")?.name === name.name)
      .map((header) => attributeOf(header, "part")),
  );
  const listed = attributeOf(body, "parts")?.split(/\s+/).filter(Boolean);
  const parts = childrenOf(message, WSDL, "part").filter((part) => {
    const own = nameOf(part);
    return listed === undefined ? !inHeaders.has(own) : listed.includes(own);
  });
  const owner = `${nameOf(operation)}.${direction === "input" ? "request" : "answer"}`;
  if (isRpc) {
    const element = nameOf(operation) + (direction === "input" ? "" : "Response");
    const namespace = attributeOf(body, "namespace") ?? "";
    const fields = parts.map((part): RpcPart => {
      const type = qnameIn(part, "type");
      if (type === undefined)
        throw new ImportFault("is an element, where rpc messages have types", part.at);
      return { name: nameOf(part), type, node: part };
    });
    const type = fields.length === 0 ? undefined : types.ofParts(fields, owner);
    return { message: { name: element, namespace, ...typed(type) }, type };
  }
  const [part, ...more] = parts;
  if (part === undefined) return { type: undefined };
  if (more.length > 0)
    throw new ImportFault("has several elements in the body of one message", message.at);
  const element = qnameIn(part, "element");
  if (element === undefined)
    throw new ImportFault("is a type, where document messages have elements", part.at);
  const type = types.ofElement(element, part, owner);
  return { message: { name: element.name, namespace: element.namespace, ...typed(type) }, type };
}

function typed(type: TranslatedType | undefined): Pick<XmlMessage, "type"> {
  return type === undefined ? {} : { type: type.name };
}
