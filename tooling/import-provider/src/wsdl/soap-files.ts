import type { PublishedSoapCall, XmlField, XmlType } from "@insurance-gateway/adapter/soap";
import type { ImportedProvider } from "../import-provider.ts";
import { envelopeOf } from "../operations/envelope.ts";
import type { ImportedEndpoint } from "../operations/model.ts";
import { ImportFault } from "../report.ts";
import {
  array,
  exportedConstant,
  type Layout,
  literal,
  object,
  propertyName,
  scalar,
} from "../source/layout.ts";
import type { SoapDocument } from "./arrange.ts";

/** Writes the dialect of a provider whose document is a WSDL: the structure of its messages, as data. */
export function soapDialectFile(
  constant: string,
  name: string,
  {
    endpoints,
    options: { envelope },
    security: { accepted },
  }: Pick<ImportedProvider, "endpoints" | "options" | "security">,
  soap: SoapDocument,
): string {
  const found = endpoints.flatMap((endpoint) => {
    const operation = soap.operations.get(pathOf(endpoint));
    return operation === undefined ? [] : [{ endpoint, operation }];
  });
  const calls = found.map(({ endpoint, operation }): readonly [string, Layout] => {
    const settings = endpoint.call.settings.query;
    const own: PublishedSoapCall = {
      ...operation.call,
      ...(operation.document === undefined ? {} : { document: operation.document }),
      ...(Object.keys(settings).length === 0 ? {} : { settings }),
      ...(envelope !== undefined && envelopeOf(endpoint, envelope) === false
        ? { envelope: false }
        : {}),
    };
    return [endpoint.name, callLayout(own)];
  });
  const types = new Map<string, XmlType>(
    found.flatMap(({ operation }) =>
      operation.types.flatMap(({ content, name: type }) =>
        content instanceof ImportFault ? [] : [[type, content.type] as const],
      ),
    ),
  );
  const sorted = [...types].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const value = object(
    [
      soap.version === "1.1" ? null : ["version", scalar(soap.version)],
      [
        "types",
        object(
          sorted.map(([type, one]) => [propertyName(type), typeLayout(one)]),
          true,
        ),
      ],
      ["calls", object(calls, true)],
      envelope === undefined ? null : ["envelope", literal(envelope)],
      accepted === undefined ? null : ["credentials", literal(accepted)],
      soap.hasUsernameToken ? ["hasUsernameToken", scalar(true)] : null,
    ],
    true,
  );
  return `import type { PublishedSoap } from "@insurance-gateway/adapter/soap";
import type { ${constant} } from "./provider.ts";

/** The messages of ${name} in XML, as its WSDL describes them: the fields are in the order that the insurer expects. */
${exportedConstant("dialect", "PublishedSoap", `typeof ${constant}`, value)}`;
}

/** Returns the path of an endpoint's operation in the translated document. */
function pathOf({ operation }: Pick<ImportedEndpoint, "operation">): string {
  return operation.slice(operation.indexOf(" ") + 1);
}

function callLayout({ answer, request, ...rest }: PublishedSoapCall): Layout {
  const message = (one: PublishedSoapCall["answer"]): Layout => flat({ ...one });
  const { action, document, envelope, path, settings } = rest;
  return object(
    [
      ["path", scalar(path)],
      ["action", scalar(action)],
      request === undefined ? null : ["request", message(request)],
      answer === undefined ? null : ["answer", message(answer)],
      document === undefined ? null : ["document", literal(document)],
      settings === undefined ? null : ["settings", literal(settings)],
      envelope === undefined ? null : ["envelope", scalar(envelope)],
    ],
    true,
  );
}

function typeLayout({ fields, namespace }: XmlType): Layout {
  return object(
    [
      namespace === undefined ? null : ["namespace", scalar(namespace)],
      [
        "fields",
        array(
          fields.map((field: XmlField) => flat({ ...field })),
          // The formatter puts each of several objects with several members on a separate line.
          fields.length > 1 && fields.every((field) => Object.keys(field).length > 1),
        ),
      ],
    ],
    true,
  );
}

/** Returns an object of scalars, on one line if it fits. */
function flat(members: Readonly<Record<string, unknown>>): Layout {
  return object(
    Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, scalar(value)]),
  );
}

/** Writes the adapter of a provider whose document is a WSDL. */
export function soapAdapterFile(constant: string, name: string): string {
  return `import type { Adapter } from "@insurance-gateway/adapter";
import { publishedSoap } from "@insurance-gateway/adapter/soap";
import { dialect } from "./dialect.ts";
import { ${constant} } from "./provider.ts";

/** Translates calls into SOAP messages to ${name}, as its WSDL describes them. */
export const adapter: Adapter = publishedSoap(${constant}, dialect);
`;
}
