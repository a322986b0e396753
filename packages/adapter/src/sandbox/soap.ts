import { type Endpoint, type Provider, valueAt } from "@insurance-gateway/core/contract";
import { bodyOf, parameterNames, withValueAt } from "@insurance-gateway/core/runtime";
import {
  type SoapVersion,
  soapFault,
  soapMediaTypes,
  soapMessageIn,
  writeSoap,
} from "../soap/message.ts";
import { type PublishedSoap, type PublishedSoapCall, xmlValuesOf } from "../soap/published-soap.ts";
import { parseXml, type XmlElement } from "../soap/xml.ts";
import type { XmlMessage, XmlValues } from "../soap/xml-values.ts";
import type {
  DeclaredCall,
  DialectAnswer,
  RawAnswer,
  RawRequest,
  SandboxDialect,
  SandboxRoute,
} from "./dialect.ts";

export { requireUsernameToken, soapRoutes } from "./soap-routes.ts";

/** Creates the interface of a simulated SOAP insurer from the dialect of its adapter, a `publishedSoap`. */
export function soapInsurer<P extends Provider<object>>(
  provider: P,
  dialect: PublishedSoap<P>,
): SandboxDialect {
  const values = xmlValuesOf(dialect);
  const { version = "1.1" } = dialect;
  const calls: Readonly<Record<string, PublishedSoapCall | undefined>> = dialect.calls;
  const endpoints: readonly (readonly [string, Endpoint])[] = Object.entries(provider.endpoints);
  const operations = endpoints.flatMap(([name, endpoint]): readonly SoapOperation[] => {
    const call = calls[name];
    return call === undefined ? [] : [{ name, endpoint, call }];
  });
  const paths = new Set(operations.map(({ call }) => pathOf(call)));
  const routes = [...paths].map((path): SandboxRoute => {
    const here: SoapPort = {
      operations: operations.filter(({ call }) => pathOf(call) === path),
      values,
      version,
    };
    return {
      method: "POST",
      path,
      read: (request) => readCall(here, request),
      write: (answer, request) => writeAnswer(here, answer, request),
    };
  });
  return { routes };
}

/** The operations at one path. */
interface SoapPort {
  readonly operations: readonly SoapOperation[];
  readonly values: XmlValues;
  readonly version: SoapVersion;
}

interface SoapOperation {
  /** The name of the endpoint. */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly call: PublishedSoapCall;
}

function pathOf({ path }: PublishedSoapCall): string {
  return path.split("?", 1)[0] ?? path;
}

interface FoundOperation {
  readonly operation: SoapOperation;
  /** The element in the body; null if the body is empty. */
  readonly payload: XmlElement | null;
}

/**
 * Finds the operation of a message by the message's element, and by the message's action if operations share the
 * element.
 */
function findOperation(
  { operations, version }: SoapPort,
  { body, headers }: RawRequest,
): FoundOperation | null {
  const root = parseXml(body);
  const payload = (root && soapMessageIn(root, version)?.payload) ?? null;
  const fitting = operations.filter(({ call: { request } }) =>
    request === undefined ? payload === null : payload !== null && hasElementOf(request, payload),
  );
  const [first] = fitting;
  const stated =
    version === "1.1"
      ? headers.soapaction
      : /;\s*action=("[^"]*")/.exec(headers["content-type"] ?? "")?.[1];
  const named = fitting.find(({ call }) => stated === `"${call.action}"`);
  return root === null || first === undefined ? null : { operation: named ?? first, payload };
}

function hasElementOf({ name, namespace }: XmlMessage, payload: XmlElement): boolean {
  return payload.name === name && payload.namespace === namespace;
}

function readCall(
  port: SoapPort,
  request: RawRequest,
): { readonly call: DeclaredCall } | { readonly answer: RawAnswer } {
  const found = findOperation(port, request);
  if (found === null) return { answer: clientFault("OPERATION_UNKNOWN", port) };
  const { call, endpoint, name } = found.operation;
  const { misplaced, value } =
    found.payload === null || call.request === undefined
      ? { misplaced: [], value: {} }
      : port.values.read(call.request, found.payload, "request");
  if (misplaced.length > 0) return { answer: clientFault("NAMESPACE_UNKNOWN", port) };
  const configured = new Set(Object.keys(call.settings ?? {}));
  const sent = Object.entries(Object(value)).filter(([field]) => !configured.has(field));
  const inQuery = new Set(endpoint.query === undefined ? [] : parameterNames(endpoint.query));
  const query = Object.fromEntries(sent.filter(([field]) => inQuery.has(field)));
  const body = Object.fromEntries(sent.filter(([field]) => !inQuery.has(field)));
  const { keyAt } = endpoint;
  const reference = keyAt && clientReferenceIn(keyAt, request, body);
  const ownBody =
    keyAt !== undefined && "body" in keyAt ? withValueAt(body, keyAt.body, undefined) : body;
  return {
    call: {
      endpoint: name,
      input: { query, ...(bodyOf(endpoint) === undefined ? {} : { body: ownBody }) },
      ...(reference === undefined ? {} : { reference }),
    },
  };
}

/** Returns the client's reference in the request of a submission. */
function clientReferenceIn(
  keyAt: NonNullable<Endpoint["keyAt"]>,
  { headers }: RawRequest,
  body: unknown,
): string | undefined {
  if ("header" in keyAt) return headers[keyAt.header];
  const reference = "body" in keyAt ? valueAt(body, keyAt.body) : undefined;
  return typeof reference === "string" ? reference : undefined;
}

function writeAnswer(port: SoapPort, answer: DialectAnswer, request: RawRequest): RawAnswer {
  const found = findOperation(port, request);
  if (found === null) return clientFault("OPERATION_UNKNOWN", port);
  if ("problem" in answer) return clientFault(answer.problem.code, port);
  const { call } = found.operation;
  if (call.answer === undefined) return { status: 202 };
  const value = "file" in answer ? answerWithDocument(call, answer.file) : answer.body;
  return soapAnswerOf(200, port.values.write(call.answer, value ?? {}, ""), port);
}

function answerWithDocument({ document }: PublishedSoapCall, file: Uint8Array): unknown {
  if (document === undefined) return {};
  const content = withValueAt({}, document.base64, Buffer.from(file).toString("base64"));
  return document.size === undefined
    ? content
    : withValueAt(content, document.size, file.byteLength);
}

/** Creates a fault that blames the client, with a code of the simulation in its detail. */
function clientFault(code: string, port: SoapPort): RawAnswer {
  // The status of a fault (SOAP 1.1, section 6.2; SOAP 1.2, part 2, section 7.5.1.2).
  const status = port.version === "1.1" ? 500 : 400;
  return soapAnswerOf(status, soapFault("client", code, { code }, port.version), port);
}

function soapAnswerOf(status: number, payload: object, { version }: SoapPort): RawAnswer {
  return {
    status,
    headers: { "content-type": `${soapMediaTypes[version]}; charset=utf-8` },
    body: writeSoap(payload, { version }),
  };
}
