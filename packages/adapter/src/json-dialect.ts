import type { UserLogin } from "@insurance-gateway/core/auth";
import {
  type Endpoint,
  type FailureRow,
  type Provider,
  valueAt,
} from "@insurance-gateway/core/contract";
import {
  encodeQuery,
  headerTextFaults,
  isJson,
  kindPolicies,
} from "@insurance-gateway/core/runtime";
import { TransportError } from "@insurance-gateway/core/transport";
import {
  type Adapter,
  type AdapterAnswer,
  documentAnswerOf,
  type InsurerRequest,
  type Send,
  unreadableAnswer,
} from "./adapter.ts";
import type {
  AnswerMapping,
  CallSource,
  DialectCall,
  FaultMapping,
  Polling,
  RequestResult,
} from "./answer-mapping.ts";
import { type Charset, encodeJson } from "./charset.ts";
import {
  callFinder,
  callSourceOf,
  createSpeaks,
  executeCall,
  faultyFieldsIn,
  isWithoutContent,
  UnsendableError,
  writeRequestPart,
} from "./dialect.ts";
import { readMessage } from "./embedded-document.ts";
import { marksSuccess, type PublishedEnvelope } from "./envelope.ts";
import { parseJson } from "./json.ts";
import type { Mapping } from "./mapping.ts";
import { isPending, pollUntilFinished } from "./polling.ts";

/**
 * A request to the insurer, as the rows of a mapping. Each row names a value of a `CallSource` by a JSON Pointer, such
 * as `/body/holder/afm`.
 */
export interface JsonRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * The path after the base address. A value of the request replaces each JSON Pointer in braces:
   * `/policies/{/params/policyId}`.
   */
  readonly path: string;
  readonly query?: Mapping;
  /** The headers, with names in lower case. */
  readonly headers?: Mapping;
  readonly body?: Mapping;
}

/** The request and the answer of one endpoint in the insurer's JSON. */
export interface JsonCall extends JsonRequest, AnswerMapping {
  /** True if the answer's body is the document itself and not JSON. */
  readonly isFile?: true;
  /** The query that finds the result of a submission by the gateway's ID. Only for a search by `start` and `limit`. */
  readonly byReference?: JsonReferenceQuery;
  /**
   * The query for the result, for an insurer that first accepts a request and finishes the work later. `/ticket` is the
   * insurer's name for the work (`/jobs/{/ticket}`). The other rows of the call read the last answer.
   */
  readonly poll?: Polling & JsonRequest;
}

/** A query that finds the result of a submission by the gateway's ID of the submission. */
export interface JsonReferenceQuery {
  /** The path with the gateway's ID of the submission: `/applications/by-reference/{/submissionId}`. */
  readonly path: string;
  /** The mapping of the answer to an item of the search. The search's `finish` then converts the item. */
  readonly item: Mapping;
}

/** The description of an insurer's JSON dialect. */
export interface JsonDialect<P extends Provider<object>> {
  /** The meanings of the insurer's error answers. The `failures` of endpoint and provider take precedence. */
  readonly failures: readonly FailureRow[];
  /** The fixed fields of every body, and the field that marks an answer as a success. */
  readonly envelope?: JsonEnvelope;
  readonly faults?: FaultMapping;
  /**
   * The charset of requests, and of answers whose header names no charset. Default: UTF-8. In a request, a character
   * that the charset does not have becomes a JSON escape.
   */
  readonly charset?: Charset;
  readonly login?: JsonLogin;
  /** The call of each endpoint. */
  readonly calls: { readonly [Name in keyof P["endpoints"]]: JsonCall };
}

/** The common form of all messages of a dialect. */
export interface JsonEnvelope {
  /** Fixed fields of every request's body. */
  readonly request?: Readonly<Record<string, unknown>>;
  /**
   * The field that decides whether an answer with a success status is a success: the JSON Pointer of a boolean, or a
   * field with the values of a success (`{ at: "/result", success: ["OK"] }`). Every other value marks an error answer.
   */
  readonly success?: string | PublishedEnvelope;
}

/** The login call, which returns a token for a user name and a password. */
export interface JsonLogin {
  readonly path: string;
  /** The mapping rows that read `/username` and `/password`. */
  readonly body: Mapping;
  /** The JSON Pointer of the token, which is sent as `Authorization: Bearer`. */
  readonly token: string;
  /** The JSON Pointer of the token's lifetime in seconds. */
  readonly expiresIn?: string;
}

/** Creates the adapter of a JSON dialect. */
export function jsonDialect<P extends Provider<object>>(
  provider: P,
  dialect: JsonDialect<P>,
): Adapter {
  const callOf = callFinder<JsonCall>(provider, dialect.calls);
  for (const endpoint of Object.values<Endpoint>({ ...provider.endpoints })) {
    const isPage = endpoint.kind === "search" && endpoint.paging === undefined;
    if (callOf(endpoint).byReference !== undefined && !isPage)
      throw new TypeError(
        `The adapter of ${provider.id}: only a search by \`start\` and \`limit\` may have \`byReference\``,
      );
  }
  const { envelope, login } = dialect;
  const mark = typeof envelope?.success === "string" ? envelope.success : envelope?.success?.at;
  const beside = mark === undefined ? [] : [{ at: mark, required: true }];
  return {
    name: provider.id,
    failures: dialect.failures,
    speaks: createSpeaks(provider),
    findsByReference: (search) => callOf(search).byReference !== undefined,
    call(endpoint, input, send, context) {
      const call = callOf(endpoint);
      const { byReference, poll } = call;
      const source = callSourceOf(input, context);
      const asking: JsonCallContext = { dialect, call, endpoint, send };
      if (byReference !== undefined && source.submissionId !== null)
        return findByReference(byReference, {
          endpoint,
          rows: { ...(call.finish && { finish: call.finish }) },
          source,
          form: {},
          decoded: undefined,
          ask: (asked) => sendJsonRequest(asking, { method: "GET", path: byReference.path }, asked),
        });
      return executeCall({
        endpoint,
        rows: call,
        source,
        form: {},
        decoded: context.decoded,
        beside,
        ask: async (asked) => {
          const first = await sendJsonRequest(asking, call, asked);
          if (poll === undefined) return first;
          const query = (source: CallSource): Promise<RequestResult> =>
            sendJsonRequest(asking, poll, source);
          return pollUntilFinished(first, poll, {
            endpoint,
            source: asked,
            wait: context.wait,
            query,
          });
        },
      });
    },
    ...(login === undefined
      ? {}
      : {
          login: (credentials, send) => logIn(login, dialect.charset ?? "utf-8", credentials, send),
        }),
  };
}

/** Returns a page with the single item that a submission created. */
async function findByReference(
  { item }: JsonReferenceQuery,
  call: DialectCall,
): Promise<AdapterAnswer> {
  const answer = await executeCall({ ...call, rows: { ...call.rows, value: item } });
  return answer.type === "value"
    ? { ...answer, value: { items: [answer.value], start: 1, limit: 1, total: 1 } }
    : answer;
}

/** The parts that all requests of one call share. */
interface JsonCallContext {
  readonly dialect: Pick<JsonDialect<Provider<object>>, "charset" | "envelope" | "faults">;
  readonly call: JsonCall;
  readonly endpoint: Endpoint;
  readonly send: Send;
}

/** Sends a request of a call: the main request, which the insurer may carry out, or a query. */
async function sendJsonRequest(
  asking: JsonCallContext,
  request: JsonRequest,
  source: CallSource,
): Promise<RequestResult> {
  const { call, dialect, endpoint, send } = asking;
  const response = await send(jsonRequestOf(asking, request, source));
  const { mediaType, status } = response;
  if (endpoint.files !== undefined && status === endpoint.notReady && call.poll === undefined)
    return { ended: { type: "notReady" } };
  const isSuccess = status >= 200 && status <= 299;
  const isWaiting = isSuccess && isPending(call.poll, { content: null, response });
  if (isSuccess && call.isFile === true && !isJson(mediaType) && !isWaiting)
    return { ended: documentAnswerOf(endpoint, response) };
  const { documentOf, text } = await readMessage(call.document, response, () => dialect.charset);
  const parsed = parseBody(text, mediaType, isWithoutContent(endpoint, call, status));
  const content = parsed?.value ?? null;
  const refusal = (): RequestResult => {
    const named = faultyFieldsIn(dialect.faults, content);
    return { ended: { type: "refusal", status, mediaType, content, faults: named } };
  };
  if (!isSuccess) return refusal();
  if (isPending(call.poll, { content, response })) return { content, response };
  if (call.isFile === true)
    return { ended: unreadableAnswer(status, "The insurer's answer is not the document.") };
  if (parsed === null)
    return { ended: unreadableAnswer(status, "The insurer's answer is not JSON.") };
  const mark = dialect.envelope?.success;
  if (typeof mark === "object")
    return marksSuccess(mark, content) ? { content, response, documentOf } : refusal();
  const says = mark === undefined ? true : valueAt(content, mark);
  if (says === true) return { content, response, documentOf };
  return says === false
    ? refusal()
    : {
        ended: unreadableAnswer(
          status,
          "The insurer's answer does not say whether it is a success.",
        ),
        unusable: { content, response, documentOf },
      };
}

/** Parses a body. Returns null if the body must be JSON but is not JSON. */
function parseBody(
  text: string,
  mediaType: string,
  isSurplus: boolean,
): { readonly value: unknown } | null {
  if (text.trim() === "") return { value: null };
  if (isJson(mediaType)) return parseJson(text);
  return isSurplus ? { value: text } : null;
}

function jsonRequestOf(
  { call, dialect: { charset = "utf-8", envelope }, endpoint }: JsonCallContext,
  request: JsonRequest,
  source: CallSource,
): InsurerRequest {
  const { body, headers, method, path, query } = request;
  const common = method === "GET" ? undefined : envelope?.request;
  const content =
    body === undefined && common === undefined
      ? undefined
      : encodeJson(
          JSON.stringify({ ...common, ...Object(writeRequestPart(body ?? [], source)) }),
          charset,
        );
  return {
    method,
    path: fillTemplate(path, source) + encodeQuery(Object(writeRequestPart(query ?? [], source))),
    headers: {
      accept: endpoint.files?.[0].mediaType ?? "application/json",
      ...(content === undefined ? {} : { "content-type": jsonMediaTypeOf(charset) }),
      ...mappedHeaders(headers, source),
    },
    ...(content === undefined ? {} : { body: content }),
    acts: request === call && kindPolicies[endpoint.kind].actsAtInsurer,
  };
}

function jsonMediaTypeOf(charset: Charset): string {
  return charset === "utf-8" ? "application/json" : `application/json; charset=${charset}`;
}

function mappedHeaders(rows: Mapping | undefined, source: CallSource): Record<string, string> {
  const values = Object.entries<unknown>(Object(writeRequestPart(rows ?? [], source)));
  return Object.fromEntries(
    values.map(([name, value]) => {
      const text = typeof value === "object" ? null : String(value);
      if (text === null || headerTextFaults("", text).length > 0)
        throw new UnsendableError(`/headers/${name}`);
      return [name, text];
    }),
  );
}

function fillTemplate(template: string, source: CallSource): string {
  return template.replaceAll(/\{([^}]+)\}/g, (_, pointer: string) => {
    const value = valueAt(source, pointer);
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text !== "string" || ["", ".", ".."].includes(text))
      throw new UnsendableError(pointer);
    return encodeURIComponent(text);
  });
}

async function logIn(
  { body, expiresIn, path, token }: JsonLogin,
  charset: Charset,
  credentials: UserLogin,
  send: Send,
): ReturnType<NonNullable<Adapter["login"]>> {
  const response = await send({
    method: "POST",
    path,
    headers: { accept: "application/json", "content-type": jsonMediaTypeOf(charset) },
    body: encodeJson(JSON.stringify(writeRequestPart(body, credentials)), charset),
  });
  const content = parseJson(await response.text(() => charset))?.value;
  const found = valueAt(content, token);
  const seconds = expiresIn === undefined ? null : Number(valueAt(content, expiresIn));
  if ([400, 401, 403].includes(response.status)) return { headers: null, expiresInSeconds: null };
  if (response.status !== 200 || typeof found !== "string" || found === "")
    throw new TransportError("body", "unreadable");
  return {
    headers: { authorization: `Bearer ${found}` },
    expiresInSeconds: Number.isNaN(seconds) ? null : seconds,
  };
}
