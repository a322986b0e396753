import type { PublishedSoapCall, SoapVersion } from "@insurance-gateway/adapter/soap";
import { ImportFault } from "../report.ts";
import { definitionFinder, type FindDefinition } from "./find-definition.ts";
import type { LoadedWsdl } from "./load.ts";
import { type OperationLoss, type OperationNodes, readMessage } from "./messages.ts";
import {
  attributeOf,
  childOf,
  childrenOf,
  documentationOf,
  keyOf,
  nameOf,
  qnameIn,
  SOAP_BINDINGS,
  WSDL,
  type XmlNode,
} from "./nodes.ts";
import { mtomPolicyOf } from "./policies.ts";
import type { TranslatedType } from "./translated-types.ts";
import type { TypeReader } from "./types.ts";

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
  const find = definitionFinder(definitions);
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

interface BoundOperation {
  readonly binding: XmlNode;
  /** The SOAP element of the binding. */
  readonly soap: XmlNode;
  /** The namespace of the binding's SOAP element. */
  readonly namespace: string;
  readonly port: XmlNode;
  readonly find: FindDefinition;
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
  const nodes: OperationNodes = { operation, declared, isRpc: style === "rpc", losses };
  const request = readMessage("input", nodes, bound);
  if (request === null) throw new ImportFault("has no input: the insurer would call", operation.at);
  const answer = readMessage("output", nodes, bound);
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
