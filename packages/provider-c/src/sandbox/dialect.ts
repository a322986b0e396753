import { writeMapped } from "@insurance-gateway/adapter";
import type {
  DeclaredCall,
  DialectAnswer,
  InsurerProblem,
  RawAnswer,
  RawRequest,
  SandboxDialect,
} from "@insurance-gateway/adapter/sandbox";
import { parseXml, writeXml, type XmlElement } from "@insurance-gateway/adapter/soap";
import { check } from "@insurance-gateway/core/contract";
import { namespace, path, usageRows } from "../dialect.ts";
import { vehicleUsageList } from "../schemas/vehicle-usage-list.ts";

/** The user name and password that this simulated insurer accepts, as HTTP Basic writes them. */
const basic = `Basic ${Buffer.from("sandbox-c:sandbox-c").toString("base64")}`;

/** The insurer's own API: SOAP 1.1 with HTTP Basic, and documents in base64. */
export const dialect: SandboxDialect = {
  credentials: [{ type: "headers", headers: { authorization: basic } }],
  refuse: ({ headers: { authorization } }) =>
    authorization === basic
      ? null
      : { status: 401, headers: { "www-authenticate": 'Basic realm="gbox"' } },
  routes: [
    {
      method: "POST",
      path,
      read: (request) => readCall(request),
      write: (answer, request) => writeAnswer(answer, operationIn(request)?.name ?? ""),
    },
  ],
};

/** Returns the XML element of the operation in a SOAP message. */
function operationIn({ body }: RawRequest): XmlElement | null {
  const envelope = parseXml(body);
  const [message] = envelope?.children.filter(({ name }) => name === "Body") ?? [];
  const [operation] = message?.children ?? [];
  return operation?.namespace === namespace ? operation : null;
}

function readCall(
  request: RawRequest,
): { readonly call: DeclaredCall } | { readonly answer: RawAnswer } {
  // RFC 7303 lets a server accept other charsets; this insurer does not.
  if (!/charset="?utf-8/i.test(request.headers["content-type"] ?? ""))
    return { answer: { status: 415 } };
  const operation = operationIn(request);
  const fieldOf = (field: string): string | undefined =>
    operation?.children.find(({ name }) => name === field)?.text;
  switch (operation?.name) {
    case "listVehicleUsages":
      return { call: { endpoint: "listVehicleUsages", input: {} } };
    case "getApplicationDocument":
      return fieldOf("documentType") === "IPID"
        ? {
            call: {
              endpoint: "downloadIpid",
              input: { query: { applicationId: fieldOf("applicationId") } },
            },
          }
        : { answer: fault(500, "Client", "E103", "The type of document is not known.") };
    default:
      return { answer: fault(500, "Client", "E102", "The operation is not known.") };
  }
}

function writeAnswer(answer: DialectAnswer, operation: string): RawAnswer {
  if ("problem" in answer) return refused(answer.problem, operation);
  if ("file" in answer)
    return message(operation, {
      status: "PRINTED",
      pdfSize: String(answer.file.byteLength),
      pdfContent: Buffer.from(answer.file).toString("base64"),
    });
  const checked = check(vehicleUsageList, answer.body);
  const usages = checked.valid ? checked.value.items : [];
  const mapped = writeMapped([{ list: ["", "/usage"], each: usageRows }], usages);
  return mapped.fits
    ? message(operation, Object(mapped.value))
    : fault(500, "Server", "E500", "A usage cannot be written.");
}

/** Writes a refusal. A document that is not ready is a normal answer and not a fault. */
function refused({ code, detail }: InsurerProblem, operation: string): RawAnswer {
  switch (code) {
    case "DOCUMENT_NOT_READY":
      return message(operation, { status: "PENDING" }, { "retry-after": "5" });
    case "APPLICATION_NOT_FOUND":
      return fault(500, "Client", "E101", detail);
    default:
      return fault(500, "Client", "E103", detail);
  }
}

function message(
  operation: string,
  content: object,
  headers: Readonly<Record<string, string>> = {},
): RawAnswer {
  const answer = { [`q:${operation}Response`]: { "@xmlns:q": namespace, ...prefixed(content) } };
  return envelope(200, answer, headers);
}

/** Adds the prefix of the insurer's namespace to every name of a tree. */
function prefixed(tree: object): object {
  return Object.fromEntries(
    Object.entries(tree).map(([name, value]) => [`q:${name}`, prefixedValue(value)]),
  );
}

function prefixedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prefixedValue);
  return typeof value === "object" && value !== null ? prefixed(value) : value;
}

function fault(status: number, code: string, errorCode: string, words: string): RawAnswer {
  const detail = { serviceFault: { "@xmlns": namespace, errorCode, errorDescription: words } };
  const soapFault = { faultcode: `soapenv:${code}`, faultstring: words, detail };
  return envelope(status, { "soapenv:Fault": soapFault });
}

function envelope(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): RawAnswer {
  return {
    status,
    headers: { "content-type": "text/xml; charset=utf-8", ...headers },
    body: writeXml({
      "soapenv:Envelope": {
        "@xmlns:soapenv": "http://schemas.xmlsoap.org/soap/envelope/",
        "soapenv:Body": body,
      },
    }),
  };
}
