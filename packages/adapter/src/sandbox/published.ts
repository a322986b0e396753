import { answerOf, type Endpoint, type Provider, valueAt } from "@insurance-gateway/core/contract";
import {
  bodyFormatOf,
  bodyOf,
  decodeForm,
  formFieldsOf,
  isJson,
  type KeyPlace,
  type ParameterForm,
  pagingOf,
  parameterForms,
  parameterNames,
  pathParameters,
  pathSegments,
  routerPattern,
  withValueAt,
} from "@insurance-gateway/core/runtime";
import { separatedPath } from "../joined-segments.ts";
import { parseJson } from "../json.ts";
import {
  cachedCodecs,
  differenceFinder,
  type FindDigitsCodec,
  type PublishedCall,
  type PublishedCalls,
  type PublishedParameter,
} from "../published-dialect.ts";
import {
  type DeclaredCall,
  type DialectAnswer,
  jsonAnswer,
  type RawAnswer,
  type RawRequest,
  type SandboxDialect,
  type SandboxRoute,
} from "./dialect.ts";
import { parseMultipartForm } from "./multipart.ts";
import { type Operation, sharedRoute } from "./shared-route.ts";

/**
 * Creates the interface of a simulated insurer from the `calls` of its adapter, a `publishedDialect`. An endpoint has
 * no route if the insurer's path is not a path template of the contract.
 */
export function publishedInsurer<P extends Provider<object>>(
  provider: P,
  calls: PublishedCalls<P> = {},
): SandboxDialect {
  const callOf = differenceFinder(provider, calls);
  const codecOf = cachedCodecs();
  const endpoints: readonly (readonly [string, Endpoint])[] = Object.entries(provider.endpoints);
  const operations = new Map<string, Operation[]>();
  for (const [name, endpoint] of endpoints) {
    const operation = operationOf(name, endpoint, callOf(endpoint), codecOf);
    const { method, path } = operation.route;
    if (pathSegments(path) === null) continue;
    const place = `${method} ${routerPattern(path)}`;
    operations.set(place, [...(operations.get(place) ?? []), operation]);
  }
  return { routes: [...operations.values()].map(sharedRoute) };
}

function operationOf(
  name: string,
  endpoint: Endpoint,
  call: PublishedCall,
  codecOf: FindDigitsCodec,
): Operation {
  const { keyAt = { header: "idempotency-key" }, kind, method, path } = endpoint;
  const own = separatedPath(call.path ?? path);
  const route: SandboxRoute = {
    method,
    path: own.template,
    read(request) {
      const read = readBody(endpoint, request, codecOf);
      if (read === null) return { answer: jsonAnswer(400, { detail: "The body cannot be read." }) };
      const found = own.read(request.params);
      const params = pathParameters(path).map((parameter) => [parameter, found?.[parameter]]);
      const input: DeclaredCall["input"] = {
        params: Object.fromEntries(params),
        query: readQuery(endpoint, call, request, codecOf),
        headers: readHeaders(endpoint, call, request),
        ...read,
      };
      if (kind !== "submission") return { call: { endpoint: name, input } };
      const reference = clientReferenceIn(keyAt, request, read.body);
      return {
        call: {
          endpoint: name,
          input:
            "body" in keyAt
              ? { ...input, body: withValueAt(read.body, keyAt.body, undefined) }
              : input,
          ...(reference === undefined ? {} : { reference }),
        },
      };
    },
    write: (answer, request) => writeAnswer(endpoint, call, answer, request, codecOf),
  };
  return { route, isJoined: own.isJoined, accepts: ({ params }) => own.read(params) !== null };
}

/** Returns the client's reference in the request of a submission. */
function clientReferenceIn(
  keyAt: KeyPlace,
  request: RawRequest,
  body: unknown,
): string | undefined {
  if ("header" in keyAt) return request.headers[keyAt.header];
  if ("query" in keyAt) return request.query.get(keyAt.query) ?? undefined;
  const reference = valueAt(body, keyAt.body);
  return typeof reference === "string" ? reference : undefined;
}

/** Reads a request's body by its declared media type. Returns {} without a body, and null for an unreadable body. */
function readBody(
  endpoint: Endpoint,
  { body: text, bytes, headers, mediaType }: RawRequest,
  codecOf: FindDigitsCodec,
): Pick<DeclaredCall["input"], "body" | "mediaType"> | null {
  const schema = bodyOf(endpoint)?.media[mediaType];
  if (schema === undefined || (bytes.byteLength === 0 && bodyOf(endpoint)?.required === false))
    return bytes.byteLength === 0 ? {} : null;
  switch (bodyFormatOf(mediaType)) {
    case "json": {
      const parsed = parseJson(text);
      const codec = codecOf(schema);
      return (
        parsed && { mediaType, body: codec === null ? parsed.value : codec.read(parsed.value) }
      );
    }
    case "form": {
      const { value } = decodeForm(new URLSearchParams(text), formFieldsOf(schema));
      return { mediaType, body: value };
    }
    case "multipart": {
      const parts = parseMultipartForm(bytes, headers["content-type"] ?? "");
      return parts && { mediaType, body: decodeForm(parts, formFieldsOf(schema)).value };
    }
    case "text":
      return { mediaType, body: text };
    case "bytes":
      return { mediaType, body: { mediaType, content: bytes } };
  }
}

function readQuery(
  { query: declared }: Endpoint,
  { query: parameters = {} }: PublishedCall,
  { query }: RawRequest,
  codecOf: FindDigitsCodec,
): Readonly<Record<string, unknown>> {
  if (declared === undefined) return {};
  const values = Object.entries(parameterForms(declared)).map(([name, form]): [string, unknown] => [
    name,
    readParameter(query, form, { name, ...parameters[name] }),
  ]);
  const found = Object.fromEntries(values.filter(([, value]) => value !== undefined));
  const codec = codecOf(declared);
  return codec === null ? found : Object(codec.read(found));
}

/** Returns the value of a parameter, or undefined if the query does not have it. */
function readParameter(
  query: RawRequest["query"],
  form: ParameterForm,
  { name, style }: PublishedParameter & { readonly name: string },
): unknown {
  if (style === "fields") return objectFieldsIn(query, form, (field) => field);
  const text = query.get(name) ?? undefined;
  if (style === "json") return text === undefined ? undefined : parseJson(text)?.value;
  if (style !== undefined) return text?.split(style === "pipes" ? "|" : " ");
  if (form.style === "object") return objectFieldsIn(query, form, (field) => `${name}[${field}]`);
  return form.style === "repeated" && text !== undefined ? query.getAll(name) : text;
}

/** Returns the fields of an object in a query, or undefined if the query has no such field. */
function objectFieldsIn(
  query: RawRequest["query"],
  form: ParameterForm,
  nameOf: (field: string) => string,
): Readonly<Record<string, string>> | undefined {
  const fields = form.style === "object" ? Object.keys(form.fields) : [];
  const found = fields.flatMap((field) => {
    const text = query.get(nameOf(field));
    return text === null ? [] : [[field, text] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function readHeaders(
  { headers: declared }: Endpoint,
  { cookies = {}, headers = {} }: PublishedCall,
  request: RawRequest,
): Readonly<Record<string, string>> {
  const sent = new Map(
    (request.headers.cookie ?? "").split(";").map((pair): [string, string] => {
      const [name = "", ...value] = pair.split("=");
      return [name.trim(), decodePercent(value.join("="))];
    }),
  );
  const names = declared === undefined ? [] : parameterNames(declared);
  return Object.fromEntries(
    names.flatMap((name) => {
      const cookie = cookies[name];
      const text = cookie === undefined ? request.headers[headers[name] ?? name] : sent.get(cookie);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The text is not percent-encoded, so the schema validates the unchanged text.
    return text;
  }
}

function writeAnswer(
  endpoint: Endpoint,
  call: PublishedCall,
  answer: DialectAnswer,
  request: RawRequest,
  codecOf: FindDigitsCodec,
): RawAnswer {
  const { status } = answer;
  const headers = withInsurerLink(endpoint, call, answer.headers ?? {}, request);
  if ("file" in answer) {
    const { file, mediaType = "application/pdf" } = answer;
    return { status, headers: { ...headers, "content-type": mediaType }, body: file };
  }
  if ("problem" in answer) {
    const { problem } = answer;
    const content = { title: problem.code, status, ...problem };
    return jsonAnswer(status, content, { ...headers, "content-type": "application/problem+json" });
  }
  const { body } = answer;
  if (body === undefined) return { status, headers };
  const media = Object.entries(answerOf(endpoint, status)?.media ?? {});
  const [type, schema] = media.find(([one]) => isJson(one)) ?? media[0] ?? [];
  if (type !== undefined && bodyFormatOf(type) === "text")
    return {
      status,
      headers: { ...headers, "content-type": `${type}; charset=utf-8` },
      body: String(body),
    };
  const codec = schema === undefined ? null : codecOf(schema);
  return jsonAnswer(status, codec === null ? body : codec.write(body), {
    ...headers,
    ...(type === undefined ? {} : { "content-type": type }),
  });
}

/** Replaces the declared path and parameter names in the `Link` header to the next page by the insurer's. */
function withInsurerLink(
  endpoint: Endpoint,
  { query: parameters = {} }: PublishedCall,
  headers: Readonly<Record<string, string>>,
  { path, query }: RawRequest,
): Readonly<Record<string, string>> {
  const [, search] = /^<[^>?]*\?([^>]*)>/.exec(headers.link ?? "") ?? [];
  if (search === undefined) return headers;
  const { position } = pagingOf(endpoint);
  const next = new URLSearchParams(query);
  next.set(parameters[position]?.name ?? position, new URLSearchParams(search).get(position) ?? "");
  return { ...headers, link: `<${path}?${next.toString()}>; rel="next"` };
}
