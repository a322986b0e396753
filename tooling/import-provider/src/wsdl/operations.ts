import type { PublishedSoapCall, SoapVersion, XmlMessage } from "@insurance-gateway/adapter/soap";
import { ImportFault } from "../report.ts";
import type { LoadedWsdl } from "./load.ts";
import {
  attributeOf,
  childOf,
  childrenOf,
  documentationOf,
  keyOf,
  nameOf,
  type QName,
  qnameIn,
  SOAP_BINDINGS,
  WSDL,
  type XmlNode,
} from "./nodes.ts";
import { mtomPolicyOf } from "./policies.ts";
import type { TranslatedType } from "./translated-types.ts";
import type { Part, TypeReader } from "./types.ts";

/** A part of a WSDL operation that the import loses. */
export interface OperationLoss {
  readonly at: string;
  readonly effect: string;
}

/** A fault that an operation declares: the name of its element, and its type. */
export interface DeclaredFault {
  readonly element: string;
  readonly type: TranslatedType;
}

/** A SOAP operation of the document. */
export interface SoapOperation {
  readonly name: string;
  /** The name of the port, which distinguishes two operations with the same name. */
  readonly port: string;
  readonly description: string | undefined;
  readonly at: string;
  readonly read: ReadOperation | ImportFault;
}

/** A SOAP operation that a package can declare. */
export interface ReadOperation {
  readonly call: PublishedSoapCall;
  readonly request: TranslatedType | undefined;
  readonly answer: TranslatedType | undefined;
  readonly faults: readonly DeclaredFault[];
  readonly losses: readonly OperationLoss[];
}

/** The SOAP operations of a WSDL, and the operations that are not imported, each with the reason. */
export interface SoapOperations {
  readonly version: SoapVersion;
  readonly operations: readonly SoapOperation[];
  readonly leftOut: readonly { readonly name: string; readonly at: string; readonly why: string }[];
}

/**
 * Reads the operations of SOAP 1.1 ports, or of SOAP 1.2 ports if there are none, over HTTP in the order of the
 * document.
 */
export function soapOperations(
  loaded: Pick<LoadedWsdl, "definitions">,
  types: TypeReader,
): SoapOperations {
  const older = operationsOver("1.1", loaded, types);
  return older.operations.length > 0 ? older : operationsOver("1.2", loaded, types);
}

function operationsOver(
  version: SoapVersion,
  { definitions }: Pick<LoadedWsdl, "definitions">,
  types: TypeReader,
): SoapOperations {
  const namespace = SOAP_BINDINGS[version];
  const find = finder(definitions);
  const seen = new Set<string>();
  const operations: SoapOperation[] = [];
  const others: { name: string; at: string; why: string }[] = [];
  for (const file of definitions)
    for (const service of childrenOf(file, WSDL, "service"))
      for (const port of childrenOf(service, WSDL, "port")) {
        const name = qnameIn(port, "binding");
        if (name === undefined) throw new ImportFault("has no binding", port.at);
        if (seen.has(keyOf(name))) continue;
        seen.add(keyOf(name));
        const binding = find("binding", name, port);
        const soap = childOf(binding, namespace, "binding");
        const mtom = mtomPolicyOf(binding, definitions);
        for (const operation of childrenOf(binding, WSDL, "operation")) {
          const own = nameOf(operation);
          if (soap === undefined)
            others.push({
              name: own,
              at: operation.at,
              why: `its binding does not use SOAP ${version}`,
            });
          else {
            const bound = { binding, soap, namespace, port, find, types, mtom };
            operations.push(readOperation(operation, bound));
          }
        }
      }
  const known = new Set(operations.map(({ name }) => name));
  // Most servers offer the same operations also with SOAP 1.2 and by GET, so only missing operations are reported.
  return { version, operations, leftOut: others.filter(({ name }) => !known.has(name)) };
}

type Find = (kind: "binding" | "message" | "portType", name: QName, from: XmlNode) => XmlNode;

function finder(definitions: readonly XmlNode[]): Find {
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

interface BoundOperation {
  readonly binding: XmlNode;
  /** The SOAP element of the binding. */
  readonly soap: XmlNode;
  /** The namespace of the binding's SOAP element. */
  readonly namespace: string;
  readonly port: XmlNode;
  readonly find: Find;
  readonly types: TypeReader;
  /** The policy that requires files outside the XML. */
  readonly mtom: XmlNode | undefined;
}

function readOperation(operation: XmlNode, bound: BoundOperation): SoapOperation {
  const name = nameOf(operation);
  const common = { name, port: nameOf(bound.port), at: operation.at };
  try {
    const portType = bound.find(
      "portType",
      qnameIn(bound.binding, "type") ?? { namespace: "", name },
      bound.binding,
    );
    const [declared, ...overloads] = childrenOf(portType, WSDL, "operation").filter(
      (one) => attributeOf(one, "name") === name,
    );
    if (declared === undefined)
      throw new ImportFault(`is not in the port type ${portType.at}`, operation.at);
    const description = documentationOf(declared) ?? documentationOf(operation);
    if (overloads.length > 0)
      return {
        ...common,
        description,
        read: new ImportFault("has several forms with one name", operation.at),
      };
    return { ...common, description, read: orFault(() => readBound(operation, declared, bound)) };
  } catch (error) {
    if (!(error instanceof ImportFault)) throw error;
    return { ...common, description: undefined, read: error };
  }
}

function orFault<Result>(read: () => Result): Result | ImportFault {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ImportFault)) throw error;
    return error;
  }
}

function readBound(operation: XmlNode, declared: XmlNode, bound: BoundOperation): ReadOperation {
  const { mtom, namespace, soap } = bound;
  if (!HTTP.includes(attributeOf(soap, "transport") ?? ""))
    throw new ImportFault("is not carried by HTTP", soap.at);
  const own = childOf(operation, namespace, "operation");
  const style = (own && attributeOf(own, "style")) ?? attributeOf(soap, "style") ?? "document";
  const losses: OperationLoss[] =
    mtom === undefined
      ? []
      : [
          {
            at: mtom.at,
            effect:
              "The messages must be MTOM messages, with files outside the XML; the adapter sends and reads messages without MTOM.",
          },
        ];
  const sides = { operation, declared, isRpc: style === "rpc", losses };
  const request = readMessage("input", sides, bound);
  if (request === null) throw new ImportFault("has no input: the insurer would call", operation.at);
  const answer = readMessage("output", sides, bound);
  return {
    call: {
      path: pathOf(bound),
      action: (own && attributeOf(own, "soapAction")) ?? "",
      ...(request.message === undefined ? {} : { request: request.message }),
      ...(answer?.message === undefined ? {} : { answer: answer.message }),
    },
    request: request.type,
    answer: answer?.type,
    faults: faultsOf(declared, bound),
    losses,
  };
}

/** The values of `transport` that mean HTTP. In practice, bindings of both SOAP versions use the first value. */
const HTTP: readonly string[] = [
  "",
  "http://schemas.xmlsoap.org/soap/http",
  "http://www.w3.org/2003/05/soap/bindings/HTTP/",
];

/** Returns the path after the insurer's address, which the operator configures. */
function pathOf({ namespace, port }: BoundOperation): string {
  const address = childOf(port, namespace, "address");
  const location = (address && attributeOf(address, "location")) ?? "";
  if (!URL.canParse(location)) return "/";
  const { pathname, search } = new URL(location);
  return pathname + search;
}

interface Sides {
  readonly operation: XmlNode;
  readonly declared: XmlNode;
  readonly isRpc: boolean;
  readonly losses: OperationLoss[];
}

interface Message {
  /** The element in the body of the SOAP message; undefined for an empty body. */
  readonly message?: XmlMessage;
  readonly type: TranslatedType | undefined;
}

/** Reads the input or output message of an operation; null if the operation does not have this message. */
function readMessage(
  direction: "input" | "output",
  { declared, isRpc, losses, operation }: Sides,
  { find, namespace: soap, types }: BoundOperation,
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
    const fields = parts.map((part): Part => {
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

/**
 * Returns the declared faults that can be read. Other faults are ignored, because calls do not need the declarations.
 */
function faultsOf(declared: XmlNode, { find, types }: BoundOperation): readonly DeclaredFault[] {
  return childrenOf(declared, WSDL, "fault").flatMap((fault) => {
    const read = orFault((): readonly DeclaredFault[] => {
      const name = qnameIn(fault, "message");
      const part = name && childOf(find("message", name, fault), WSDL, "part");
      const element = part && qnameIn(part, "element");
      if (part === undefined || element === undefined) return [];
      const type = types.ofElement(element, part, `${nameOf(declared)}.${element.name}`);
      return type === undefined ? [] : [{ element: element.name, type }];
    });
    return read instanceof ImportFault ? [] : read;
  });
}
