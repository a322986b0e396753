import { type Endpoint, valueAt } from "@insurance-gateway/core/contract";
import {
  encodeQuery,
  headerTextFaults,
  isJson,
  kindPolicies,
} from "@insurance-gateway/core/runtime";
import { documentAnswerOf, type InsurerRequest, type Send, unreadableAnswer } from "./adapter.ts";
import type {
  AnswerMapping,
  CallSource,
  FaultMapping,
  Polling,
  RequestResult,
} from "./answer-mapping.ts";
import { type Charset, encodeJson } from "./charset.ts";
import { faultyFieldsIn, isWithoutContent, UnsendableError, writeRequestPart } from "./dialect.ts";
import { readMessage } from "./embedded-document.ts";
import { marksSuccess, type PublishedEnvelope } from "./envelope.ts";
import { parseJson } from "./json.ts";
import type { Mapping } from "./mapping.ts";
import { isPending } from "./polling.ts";

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

/** The parts that all requests of one call share. */
export interface JsonCallContext {
  readonly dialect: {
    readonly charset?: Charset;
    readonly envelope?: JsonEnvelope;
    readonly faults?: FaultMapping;
  };
  readonly call: JsonCall;
  readonly endpoint: Endpoint;
  readonly send: Send;
}

/** Sends a request of a call: the main request, which the insurer may carry out, or a query. */
export async function sendJsonRequest(
  context: JsonCallContext,
  request: JsonRequest,
  source: CallSource,
): Promise<RequestResult> {
  const { call, dialect, endpoint, send } = context;
  const response = await send(jsonRequestOf(context, request, source));
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
  const successValue = mark === undefined ? true : valueAt(content, mark);
  if (successValue === true) return { content, response, documentOf };
  return successValue === false
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
  isUndeclared: boolean,
): { readonly value: unknown } | null {
  if (text.trim() === "") return { value: null };
  if (isJson(mediaType)) return parseJson(text);
  return isUndeclared ? { value: text } : null;
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

export function jsonMediaTypeOf(charset: Charset): string {
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
