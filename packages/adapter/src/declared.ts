import {
  answerOf,
  type Endpoint,
  jsonAnswerOf,
  type Schema,
} from "@insurance-gateway/core/contract";
import {
  type AskedPage,
  answerTypes,
  bodyFormatOf,
  type CheckedInput,
  declaredFailures,
  declaredFaults,
  encodeHeaders,
  fillPath,
  headersOfPage,
  isEmptyAnswer,
  isJson,
  isReceivedFile,
  type KeyPlace,
  kindPolicies,
  PROBLEM_TYPE,
  type QueryText,
  queryTexts,
  searchOf,
  withValueAt,
} from "@insurance-gateway/core/runtime";
import { writeBody } from "@insurance-gateway/core/transport";
import {
  type Adapter,
  type AdapterAnswer,
  type AdapterContext,
  documentAnswerOf,
  type InsurerRequest,
  type InsurerResponse,
} from "./adapter.ts";
import { parseJson } from "./json.ts";

/** The adapter of an insurer that offers the declared contract itself: paths, parameters and bodies as declared. */
export const declared: Adapter = {
  name: "declared",
  failures: declaredFailures,
  async call(endpoint, input, send, context) {
    const { body, headers, params } = input;
    const request = {
      path: fillPath(endpoint.path, params),
      query: queryTexts(input.query, endpoint.query),
      headers: encodeHeaders(headers),
      body,
    };
    const response = await send(declaredRequestOf(endpoint, input, request, context.submissionId));
    return readDeclaredAnswer(endpoint, input, response, context);
  },
};

/** The parts of a request, with the insurer's names. */
export interface RequestParts {
  readonly path: string;
  readonly query: readonly QueryText[];
  readonly headers: Readonly<Record<string, string>>;
  /** The value of the body, which `declaredRequestOf` writes as a text or as bytes. */
  readonly body: unknown;
}

/** Builds a request to an insurer that accepts bodies as declared. */
export function declaredRequestOf(
  endpoint: Endpoint,
  { accept, mediaType = "application/json" }: CheckedInput,
  { body: bodyWithoutKey, headers, path, query }: RequestParts,
  submissionId: string | null,
): InsurerRequest {
  const key = submissionIdPlace(endpoint, submissionId);
  const value =
    "body" in key ? withValueAt(bodyWithoutKey, key.body, submissionId) : bodyWithoutKey;
  const body = value === undefined ? undefined : writeBody(mediaType, value, isReceivedFile);
  const texts: readonly QueryText[] =
    "query" in key && submissionId !== null ? [...query, [key.query, submissionId]] : query;
  const sent: Record<string, string> = {
    ...headers,
    accept: [...(accept ?? answerTypes(endpoint)), PROBLEM_TYPE].join(", "),
  };
  if (body !== undefined) sent["content-type"] = body.contentType;
  if (body !== undefined && body.size !== null) sent["content-length"] = String(body.size);
  if ("header" in key && submissionId !== null) sent[key.header] = submissionId;
  const request = {
    method: endpoint.method,
    // A plus sign means a space only in forms; %20 is valid everywhere in an address.
    path: path + searchOf(texts).replaceAll("+", "%20"),
    headers: sent,
    acts: kindPolicies[endpoint.kind].actsAtInsurer,
  };
  return body === undefined ? request : { ...request, body: body.content };
}

/** The differences between an insurer's answers and the declared contract. */
export interface AnswerDifferences {
  /** Returns the function that converts the insurer's JSON to a schema's value; undefined without a conversion. */
  readonly readerOf?: (schema: Schema<unknown>) => ((value: unknown) => unknown) | undefined;
  /** The insurer's names of the paging parameters. */
  readonly asked?: AskedPage;
  /** Reports whether the value of a JSON answer with a success status is an error. */
  readonly isError?: (value: unknown) => boolean;
}

/** Reads an answer that has a declared body. */
export async function readDeclaredAnswer(
  endpoint: Endpoint,
  input: CheckedInput,
  response: InsurerResponse,
  { decoded }: Pick<AdapterContext, "decoded">,
  { asked, isError, readerOf }: AnswerDifferences = {},
): Promise<AdapterAnswer> {
  const { headers, mediaType, status } = response;
  if (endpoint.files !== undefined && status === 200) return documentAnswerOf(endpoint, response);
  if (endpoint.files !== undefined && status === endpoint.notReady) return { type: "notReady" };
  const declaredAnswer = answerOf(endpoint, status);
  const isDeclared = declaredAnswer?.media[mediaType] !== undefined;
  const format = bodyFormatOf(mediaType);
  if (isDeclared && format === "bytes")
    return {
      type: "value",
      status,
      mediaType,
      value: { mediaType, content: await response.bytes() },
    };
  const text = await response.text();
  if (isDeclared && format === "text")
    return { type: "value", status, mediaType, value: text, text };
  if (declaredAnswer !== undefined && isEmptyAnswer(declaredAnswer)) {
    if (text.trim() === "") return { type: "value", status, value: undefined };
    if (!isJson(mediaType)) return { type: "value", status, mediaType, value: text };
  }
  const written = readAnswerText(status, mediaType, text);
  if (written.type !== "value") return written;
  const schema = declaredAnswer && jsonAnswerOf(declaredAnswer);
  const read = schema && readerOf?.(schema);
  const answer: AdapterAnswer & { readonly type: "value" } =
    read === undefined ? written : { type: "value", status, value: read(written.value) };
  if (isError?.(answer.value) === true)
    return { type: "refusal", status, mediaType, content: written.value, faults: [] };
  decoded?.({ content: answer.value, form: { type: "declared", status, mediaType } });
  if (endpoint.kind !== "search") return answer;
  const paging = headersOfPage(endpoint, input, { value: answer.value, headers }, asked);
  return paging === null
    ? { type: "unreadable", status, detail: "The insurer's next page cannot be requested." }
    : { ...answer, headers: paging };
}

/** Returns the place of the gateway's ID of a submission in a request; empty for other kinds. */
function submissionIdPlace(
  { keyAt = { header: "idempotency-key" } }: Endpoint,
  submissionId: string | null,
): KeyPlace | Record<never, never> {
  return submissionId === null ? {} : keyAt;
}

function readAnswerText(status: number, mediaType: string, text: string): AdapterAnswer {
  if (status < 200 || status > 299) {
    const content = isJson(mediaType) ? (parseJson(text)?.value ?? null) : null;
    const faults = mediaType === PROBLEM_TYPE ? declaredFaults(content) : [];
    return { type: "refusal", status, mediaType, content, faults };
  }
  const parsed = isJson(mediaType) ? parseJson(text) : null;
  if (parsed === null)
    return { type: "unreadable", status, detail: "The insurer's answer is not JSON." };
  const { isAsWritten, value } = parsed;
  return isAsWritten ? { type: "value", status, value, text } : { type: "value", status, value };
}
