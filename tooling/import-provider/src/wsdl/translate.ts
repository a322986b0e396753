import { basename } from "node:path";
import type { PublishedSoapCall, SoapVersion } from "@insurance-gateway/adapter/soap";
import anyAscii from "any-ascii";
import { stringify } from "yaml";
import { appendToPointer, type JsonObject } from "../document/references.ts";
import { ImportFault, type Loss } from "../report.ts";
import { isXmlFile, loadWsdl } from "./load.ts";
import { attributeOf, childOf, documentationOf, WSDL, type XmlNode } from "./nodes.ts";
import {
  type DeclaredFault,
  type ReadOperation,
  type SoapOperation,
  type SoapOperations,
  soapOperations,
} from "./operations.ts";
import { asksForUsernameToken } from "./policies.ts";
import type { TranslatedType } from "./translated-types.ts";
import { typeReader } from "./types.ts";

/** A WSDL translated to an OpenAPI document, with the XML structure of its messages. */
export interface TranslatedWsdl {
  readonly version: SoapVersion;
  /**
   * The OpenAPI 3.1 document: each operation is a POST with a separate path, `/issuePolicy`, and each type is a
   * schema.
   */
  readonly document: JsonObject;
  /** The operations by path in the document. */
  readonly operations: ReadonlyMap<string, TranslatedOperation>;
  /** True if the document requires a WS-Security UsernameToken. */
  readonly hasUsernameToken: boolean;
  /** The losses that do not depend on the selected operations. */
  readonly losses: readonly Loss[];
}

/** The XML structure of one operation. */
export interface TranslatedOperation {
  readonly call: PublishedSoapCall;
  /** The types of the operation's messages, including nested types. */
  readonly types: readonly TranslatedType[];
  readonly faults: readonly DeclaredFault[];
  /** The losses of importing the operation. */
  readonly losses: readonly Omit<Loss, "operation">[];
  /** The reason why the operation cannot be imported; undefined for an operation that can be imported. */
  readonly fault?: ImportFault;
}

/**
 * Reads a WSDL 1.1 with the schemas beside it and translates it.
 * @throws ImportFault if the WSDL cannot be read or has no SOAP operation
 */
export function translateWsdl(file: string): TranslatedWsdl {
  const loaded = loadWsdl(file);
  const [root] = loaded.definitions;
  if (root === undefined) throw new ImportFault(`${file} is not WSDL 1.1`);
  const types = typeReader(loaded);
  const found = soapOperations(loaded, types);
  if (found.operations.length === 0)
    throw new ImportFault(`${file} has no service with operations over SOAP`);
  const paths = pathsOf(found);
  const shared = new Map<string, JsonObject>();
  const operations = new Map<string, TranslatedOperation>();
  const items: (readonly [string, JsonObject])[] = [];
  for (const [path, operation] of paths) {
    const translated = translatedOperation(operation, (type) => types.reachedFrom(type));
    for (const type of translated.operation.types)
      if (type.isShared && !(type.content instanceof ImportFault))
        shared.set(type.name, type.content.schema);
    operations.set(path, translated.operation);
    items.push([path, { post: translated.item }]);
  }
  const schemas = [...shared].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const service = childOf(root, WSDL, "service");
  const title = attributeOf(root, "name") ?? (service && attributeOf(service, "name"));
  return {
    version: found.version,
    document: {
      openapi: "3.1.0",
      info: { title: title ?? basename(file), version: "WSDL 1.1", ...described(root) },
      paths: Object.fromEntries(items),
      components: { schemas: Object.fromEntries(schemas) },
    },
    operations,
    hasUsernameToken: loaded.definitions.some(asksForUsernameToken),
    losses: [
      ...found.leftOut.map(
        ({ at, name, why }): Loss => ({
          operation: `POST /${name}`,
          pointer: at,
          effect: `The operation is left out: ${why}.`,
          severity: "lost",
        }),
      ),
      ...loaded.redefined.map(
        (at): Loss => ({
          operation: "",
          pointer: at,
          effect: "The schemas are read as they are without what redefine changes.",
          severity: "lost",
        }),
      ),
    ],
  };
}

/**
 * Returns in YAML the OpenAPI document that a WSDL is translated to, and to which an overlay for the WSDL applies.
 * @throws ImportFault if the WSDL cannot be read
 */
export function translatedText(file: string): string {
  if (!isXmlFile(file))
    throw new ImportFault(`${file} is not WSDL 1.1: there is nothing to translate`);
  return stringify(translateWsdl(file).document, { aliasDuplicateObjects: false, lineWidth: 100 });
}

/**
 * Gives each operation a separate path. If the name is not unique, the path of the second operation begins with its
 * port.
 */
function pathsOf({ operations }: SoapOperations): ReadonlyMap<string, SoapOperation> {
  const paths = new Map<string, SoapOperation>();
  const free = (path: string): string => {
    if (!paths.has(path)) return path;
    for (let number = 2; ; number += 1)
      if (!paths.has(`${path}-${number}`)) return `${path}-${number}`;
  };
  for (const operation of operations) {
    const [own, port] = [operation.name, operation.port].map(
      (name) => anyAscii(name).replaceAll(/[^A-Za-z0-9._-]+/g, "-") || "operation",
    );
    const plain = `/${own}`;
    paths.set(paths.has(plain) ? free(`/${port}/${own}`) : plain, operation);
  }
  return paths;
}

function described(node: XmlNode): JsonObject {
  const description = documentationOf(node);
  return description === undefined ? {} : { description };
}

function translatedOperation(
  { at, description, name, read }: SoapOperation,
  reachedFrom: (type: TranslatedType) => readonly TranslatedType[],
): {
  readonly operation: TranslatedOperation;
  readonly item: JsonObject;
} {
  const common = { operationId: name, ...(description === undefined ? {} : { description }) };
  const sides = read instanceof ImportFault ? [] : sidesOf(read);
  const reached = sides.flatMap(([side, type]) =>
    reachedFrom(type).map((one) => [side, one] as const),
  );
  const broken = reached.find(([, { content }]) => content instanceof ImportFault)?.[1].content;
  const fault = read instanceof ImportFault ? read : broken;
  if (read instanceof ImportFault || fault instanceof ImportFault) {
    const own = fault instanceof ImportFault ? fault : new ImportFault("cannot be read", at);
    return {
      operation: { call: { path: "/", action: "" }, types: [], faults: [], losses: [], fault: own },
      item: { ...common, responses: {} },
    };
  }
  const { answer, call, faults, losses, request } = read;
  const typeLosses = reached.flatMap(([side, { content }]) =>
    content instanceof ImportFault
      ? []
      : content.losses.flatMap((loss) => {
          const severity = loss[side];
          return severity === null ? [] : [{ pointer: loss.at, effect: loss.effect, severity }];
        }),
  );
  return {
    operation: {
      call,
      types: [...new Set(reached.map(([, type]) => type))],
      faults,
      losses: [
        ...losses.map((loss) => ({
          pointer: loss.at,
          effect: loss.effect,
          severity: "lost" as const,
        })),
        ...typeLosses,
      ],
    },
    item: {
      ...common,
      ...(request === undefined ? {} : { requestBody: { required: true, content: json(request) } }),
      responses:
        answer === undefined
          ? { [call.answer === undefined ? 202 : 204]: { description: "Nothing." } }
          : { 200: { description: "What the insurer answers.", content: json(answer) } },
    },
  };
}

function sidesOf({
  answer,
  request,
}: ReadOperation): readonly (readonly ["request" | "answer", TranslatedType])[] {
  return [
    ...(request === undefined ? [] : [["request", request] as const]),
    ...(answer === undefined ? [] : [["answer", answer] as const]),
  ];
}

function json({ content, isShared, name }: TranslatedType): JsonObject {
  if (content instanceof ImportFault) throw content;
  const schema = isShared
    ? { $ref: `#${appendToPointer("/components/schemas", name)}` }
    : content.schema;
  return { "application/json": { schema } };
}
