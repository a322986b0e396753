import { answersOf, jsonAnswerOf } from "./answers.ts";
import { bodyFormatOf, isSchema, MOST_BODY_BYTES } from "./body.ts";
import type { Endpoint } from "./endpoint.ts";
import { isHtml } from "./failures.ts";
import { check } from "./faults.ts";
import { type EndpointKind, kindPolicies, type Method } from "./kinds.ts";
import { type ParameterForm, type ParameterForms, parameterForms } from "./parameter-forms.ts";
import { pathParameters, pathSegments } from "./path.ts";
import type { Schema } from "./schema.ts";

/** Finds declarations of an endpoint's input and answers that compile but cannot work over HTTP. */
export function endpointFaults(endpoint: Endpoint): readonly string[] {
  const methods: readonly Method[] = kindPolicies[endpoint.kind].methods;
  return [
    ...(methods.includes(endpoint.method)
      ? []
      : [`a ${endpoint.kind} cannot be ${endpoint.method}`]),
    ...(endpoint.perAccount === undefined || endpoint.kind === "lookup"
      ? []
      : [`\`perAccount\` must only be set for a lookup: a ${endpoint.kind} is never shared`]),
    ...freshnessFaults(endpoint),
    ...pathFaults(endpoint),
    ...queryFaults(endpoint),
    ...headersFaults(endpoint),
    ...bodyFaults(endpoint),
    ...(endpoint.kind === "document" ? documentFaults(endpoint) : answerFaults(endpoint)),
  ];
}

/** Longest `freshFor`, in seconds: 30 days. Data that changes less often is still requested once a month. */
const LONGEST_FRESH_SECONDS = 2_592_000;

function freshnessFaults(endpoint: Endpoint): readonly string[] {
  const { freshFor, kind } = endpoint;
  if (freshFor === undefined) return [];
  if (kind !== "lookup")
    return [`\`freshFor\` must only be set for a lookup: a ${kind} is never cached`];
  const types = answersOf(endpoint).flatMap(([, { media }]) => Object.keys(media));
  const file = types.find((type) => bodyFormatOf(type) === "bytes");
  // The gateway streams a file to one client and does not store the file.
  if (file !== undefined)
    return [`\`freshFor\` must only be set for answers of JSON or text: ${file} is a file`];
  return Number.isInteger(freshFor) && freshFor >= 1 && freshFor <= LONGEST_FRESH_SECONDS
    ? []
    : [`\`freshFor\` must be a whole number of seconds from 1 to ${LONGEST_FRESH_SECONDS}`];
}

function pathFaults({ params, path }: Endpoint): readonly string[] {
  if (pathSegments(path) === null)
    return [
      `the path ${path} must be segments or {parameters}, beginning with /; a parameter is a letter, then letters, digits, _ and -, one in a segment`,
    ];
  const inPath = pathParameters(path);
  if (inPath.length > 0 !== (params !== undefined))
    return ["parameters in the path need `params`, and `params` needs parameters in the path"];
  if (new Set(inPath).size < inPath.length) return [`the path ${path} has a parameter twice`];
  const forms = formsOf(params);
  const inSchema = Object.keys(forms);
  const listed = (names: readonly string[]): string => names.toSorted().join(", ");
  return [
    ...(listed(inPath) === listed(inSchema)
      ? []
      : [
          `\`params\` must have the parameters of the path (${listed(inPath)}), not (${listed(inSchema)})`,
        ]),
    ...formFaults("params", forms, ["scalar", "joined"]),
    ...Object.entries(forms)
      .filter(([, { required }]) => !required)
      .map(([name]) => `\`params\`: ${name} is part of the path, so it cannot be optional`),
  ];
}

function queryFaults({ query }: Endpoint): readonly string[] {
  const forms = formsOf(query);
  const inBrackets = Object.entries(forms).flatMap(([name, form]) =>
    form.style === "object" ? Object.keys(form.fields).map((field) => `${name}[${field}]`) : [],
  );
  return [
    ...formFaults("query", forms, ["scalar", "repeated", "joined", "object"]),
    ...inBrackets
      .filter((name) => Object.hasOwn(forms, name))
      .map(
        (name) =>
          `\`query\`: ${name} must not be both a parameter and a field of another parameter`,
      ),
  ];
}

/** Request headers that belong to the connection, to the framing of the message, or to the gateway. */
const RESERVED_REQUEST_HEADERS =
  /^(authorization|cookie|host|forwarded|x-forwarded-.*|x-real-ip|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|via|max-forwards|content-.*|accept|accept-encoding|idempotency-key|origin|sec-.*|access-control-.*|x-request-id|x-sandbox-scenario|traceparent|tracestate)$/;

/** Answer headers that belong to the connection, to the framing of the message, or to the gateway. */
const RESERVED_ANSWER_HEADERS =
  /^(set-cookie|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|via|content-.*|access-control-.*|age|alt-svc|cache-.*|date|etag|idempotency-replayed|location|ratelimit.*|retry-after|server|server-timing|strict-transport-security|vary|www-authenticate|x-content-type-options|x-request-id)$/;

function headersFaults({ headers }: Endpoint): readonly string[] {
  return headerFaults("headers", headers, RESERVED_REQUEST_HEADERS);
}

function headerFaults(
  part: string,
  headers: Schema<unknown> | undefined,
  reserved: RegExp,
): readonly string[] {
  const forms = formsOf(headers);
  return [
    ...(headers !== undefined && Object.keys(forms).length === 0
      ? [`\`${part}\` must be an object with a property for each header`]
      : []),
    ...Object.keys(forms).flatMap((name) => {
      const fault = headerNameFault(name, reserved);
      return fault === null ? [] : [`\`${part}\`: ${name} ${fault}`];
    }),
    ...formFaults(part, forms, ["scalar", "joined"]),
  ];
}

/** Returns why an endpoint cannot declare a request header of this name; null if the name is allowed. */
export function headerNameFault(
  name: string,
  reserved: RegExp = RESERVED_REQUEST_HEADERS,
): string | null {
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) return "must be a header's name in lower case";
  return reserved.test(name) ? "is reserved and must not be declared" : null;
}

/** Returns why an endpoint cannot declare an answer header of this name; null if the name is allowed. */
export function answerHeaderFault(name: string): string | null {
  return headerNameFault(name, RESERVED_ANSWER_HEADERS);
}

function bodyFaults({ body, method }: Endpoint): readonly string[] {
  if (body === undefined) return [];
  const faults = method === "GET" ? ["a GET must not have a body"] : [];
  if (isSchema(body)) return faults;
  const { maxBytes, media } = body;
  const types = Object.keys(media ?? {});
  const isSize =
    maxBytes === undefined ||
    (Number.isSafeInteger(maxBytes) && maxBytes > 0 && maxBytes <= MOST_BODY_BYTES);
  return [
    ...faults,
    ...(types.length === 0 ? ["`body` needs a media type"] : []),
    ...types.flatMap((type) => mediaTypeFaults("body", type)),
    ...(isSize ? [] : ["`body.maxBytes` must be a whole number of bytes, at most 20 MB"]),
  ];
}

function answerFaults(endpoint: Endpoint): readonly string[] {
  const { fileName, files, notReady, kind, response } = endpoint;
  const statuses = Object.keys(response).map(Number);
  return [
    ...(files === undefined && fileName === undefined && notReady === undefined
      ? []
      : ["only a document has `files`, `fileName` and `notReady`"]),
    ...(statuses.length === 0 ? ["it must declare a success status"] : []),
    ...(statuses.some((status) => !(status >= 200 && status <= 299))
      ? ["`response` must have only success statuses (200 to 299)"]
      : []),
    ...answersOf(endpoint).flatMap(([status, answer]) => {
      const types = Object.keys(answer.media);
      const isEmpty = types.length === 0;
      return [
        ...(isWithoutBody(status) && !isEmpty
          ? [`an answer with ${status} has no body: declare it as \`none\``]
          : []),
        ...(isEmpty || jsonAnswerOf(answer) !== undefined || isText(kind, types)
          ? []
          : [`the answer ${status} must be JSON, or text of a call that changes nothing`]),
        ...(kind === "submission" && types.some((type) => bodyFormatOf(type) === "bytes")
          ? [`the answer ${status} of a submission is stored as text, and cannot be bytes`]
          : []),
        ...types.flatMap((type) =>
          isText(kind, [type]) && refusesPage(answer.media[type])
            ? []
            : mediaTypeFaults(`response ${status}`, type),
        ),
        ...headerFaults(`response ${status} headers`, answer.headers, RESERVED_ANSWER_HEADERS),
      ];
    }),
  ];
}

/** Reports whether an answer may be text. A submission's answer may not, because the gateway stores it as JSON. */
function isText(kind: EndpointKind, types: readonly string[]): boolean {
  return (
    !kindPolicies[kind].actsAtInsurer &&
    kind !== "search" &&
    types.every((type) => bodyFormatOf(type) === "text")
  );
}

/** Reports whether a schema rejects the HTML page of a web server in front of the insurer. */
function refusesPage(schema: Schema<unknown> | undefined): boolean {
  return schema !== undefined && !check(schema, "<!doctype html><html><body></body></html>").valid;
}

/** Reports whether answers with this status never have a body (RFC 9110, sections 15.3.5 and 15.3.6). */
function isWithoutBody(status: number): boolean {
  return status === 204 || status === 205;
}

function documentFaults({ fileName, files, notReady }: Endpoint): readonly string[] {
  const declared = files ?? [];
  const types = declared.map(({ mediaType }) => mediaType);
  return [
    ...(types.length === 0 ? ["a document must have `files`, its possible file types"] : []),
    ...(new Set(types).size < types.length ? ["`files` has a media type twice"] : []),
    ...types.flatMap((type) => mediaTypeFaults("files", type)),
    ...declared.flatMap(({ extension, signature }) => [
      ...(/^[a-z0-9]{1,10}$/.test(extension)
        ? []
        : [`\`files\`: the extension ${extension} must be lower-case letters and digits`]),
      ...(signature === undefined || isLatin1(signature)
        ? []
        : ["`files`: a signature must be bytes, written as Latin-1 text"]),
    ]),
    ...(fileName === undefined || /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(fileName)
      ? []
      : [`\`fileName\` ${fileName} must be letters, digits, _ and -, without an extension`]),
    ...(notReady === undefined || (Number.isInteger(notReady) && notReady > 200 && notReady <= 599)
      ? []
      : ["`notReady` must be another status than the document's own, such as 202"]),
  ];
}

/** Reports whether a text is not empty and has only characters up to 255, each of which represents one byte. */
function isLatin1(text: string): boolean {
  return /^[^\u0100-\uffff]+$/.test(text);
}

function mediaTypeFaults(part: string, type: string): readonly string[] {
  if (!isMediaType(type))
    return [`\`${part}\`: ${type} must be a media type in lower case, without parameters`];
  return part === "body" || !isHtml(type)
    ? []
    : [
        `\`${part}\`: ${type} must not be declared, because only a proxy or web server in front of the insurer sends it`,
      ];
}

/** Reports whether a text is a media type in lower case without parameters (RFC 9110, section 8.3.1). */
export function isMediaType(text: string): boolean {
  return /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(text);
}

function formsOf(schema: Schema<unknown> | undefined): ParameterForms {
  return schema === undefined ? {} : parameterForms(schema);
}

function formFaults(
  part: string,
  forms: ParameterForms,
  allowed: readonly ParameterForm["style"][],
): readonly string[] {
  return Object.entries(forms).flatMap(([name, form]) => {
    if (form.style === "none") return [`\`${part}\`: ${name} ${form.fault}`];
    if (allowed.includes(form.style)) return [];
    return form.style === "repeated"
      ? [`\`${part}\`: ${name} is a list, which must be \`joined\` here`]
      : [`\`${part}\`: ${name} is an object, which only a query can have`];
  });
}
