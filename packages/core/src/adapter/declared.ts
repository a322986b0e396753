import { answerOf, isEmptyAnswer, jsonAnswerOf } from "../contract/answers.ts";
import { bodyFormatOf, isJson } from "../contract/body.ts";
import type { Endpoint, KeyPlace } from "../contract/endpoint.ts";
import type { FailureRow } from "../contract/failures.ts";
import type { Fault } from "../contract/faults.ts";
import { isReceivedFile } from "../contract/file-part.ts";
import { answerTypes } from "../contract/files.ts";
import type { CheckedInput } from "../contract/input-checker.ts";
import { kindPolicies } from "../contract/kinds.ts";
import { fillPath } from "../contract/path.ts";
import { withValueAt } from "../contract/pointer.ts";
import { encodeHeaders, type QueryText, queryTexts, searchOf } from "../contract/query.ts";
import type { Schema } from "../contract/schema.ts";
import { writeBody } from "../transport/request-body.ts";
import {
  type Adapter,
  type AdapterAnswer,
  type AdapterContext,
  fileIn,
  type InsurerRequest,
  type InsurerResponse,
  parseJson,
} from "./adapter.ts";
import { type AskedPage, headersOfPage } from "./page-headers.ts";

const PROBLEM = "application/problem+json";
const why = "The declared contract documents this code for it.";

function problem(status: number, is: string, row: Omit<FailureRow, "status" | "why">): FailureRow {
  return { status, media: PROBLEM, at: "/code", is: [is], why, ...row };
}

/** The refusals of the declared contract: problem+json (RFC 9457) with a code. */
const failures: readonly FailureRow[] = [
  ...[400, 422].flatMap((status) => [
    problem(status, "VALIDATION_FAILED", {
      code: "PROVIDER_REJECTED",
      outcome: "rejected",
      text: "The insurer found the request invalid; correct it and send it again.",
    }),
    problem(status, "PROVIDER_REJECTED", { code: "PROVIDER_REJECTED", outcome: "rejected" }),
  ]),
  problem(400, "INVALID_REQUEST", {
    code: "PROVIDER_REJECTED",
    outcome: "rejected",
    text: "The insurer did not understand the request.",
  }),
  problem(422, "BROKER_LIMIT_EXCEEDED", { code: "BROKER_LIMIT_EXCEEDED", outcome: "rejected" }),
  problem(409, "DUPLICATE_APPLICATION", { code: "DUPLICATE_APPLICATION", outcome: "rejected" }),
  problem(404, "APPLICATION_NOT_FOUND", { code: "APPLICATION_NOT_FOUND", outcome: "rejected" }),
  problem(409, "DOCUMENT_NOT_READY", { code: "DOCUMENT_NOT_READY", outcome: "rejected" }),
  problem(401, "UNAUTHENTICATED", { code: "PROVIDER_AUTH_FAILED", outcome: "rejected" }),
  problem(403, "FORBIDDEN", { code: "PROVIDER_AUTH_FAILED", outcome: "rejected" }),
  problem(429, "RATE_LIMITED", {
    code: "PROVIDER_UNAVAILABLE",
    outcome: "rejected",
    text: "The insurer takes no more calls for now; try again later.",
  }),
  problem(503, "PROVIDER_UNAVAILABLE", {
    code: "PROVIDER_UNAVAILABLE",
    outcome: "rejected",
    text: "The insurer says that it is not available; try again later.",
  }),
];

/** The adapter of an insurer that speaks the declared contract itself: paths, parameters and bodies as declared. */
export const declared: Adapter = {
  name: "declared",
  failures,
  async call(endpoint, input, send, context) {
    const { body, headers, params } = input;
    const request = {
      path: fillPath(endpoint.path, params),
      query: queryTexts(input.query, endpoint.query),
      headers: encodeHeaders(headers),
      body,
    };
    const response = await send(requestOf(endpoint, input, request, context.submissionId));
    return answerOfDeclared(endpoint, input, response, context);
  },
};

/** The parts of a request as the insurer has them. */
export interface WrittenParts {
  readonly path: string;
  readonly query: readonly QueryText[];
  readonly headers: Readonly<Record<string, string>>;
  /** What the media type's schema describes, before it is written as text. */
  readonly body: unknown;
}

/** Makes the request of an insurer that takes the declared bodies. */
export function requestOf(
  endpoint: Endpoint,
  { accept, mediaType = "application/json" }: CheckedInput,
  { headers, path, query, ...parts }: WrittenParts,
  submissionId: string | null,
): InsurerRequest {
  const key = keyOf(endpoint, submissionId);
  const value = "body" in key ? withValueAt(parts.body, key.body, submissionId) : parts.body;
  const body = value === undefined ? undefined : writeBody(mediaType, value, isReceivedFile);
  const named: readonly QueryText[] =
    "query" in key && submissionId !== null ? [[key.query, submissionId]] : [];
  return {
    method: endpoint.method,
    // A plus sign is a space in forms only; every reader of an address knows %20.
    path: path + searchOf([...query, ...named]).replaceAll("+", "%20"),
    headers: {
      ...headers,
      accept: [...(accept ?? answerTypes(endpoint)), PROBLEM].join(", "),
      ...(body === undefined ? {} : { "content-type": body.contentType }),
      ...(body === undefined || body.size === null ? {} : { "content-length": String(body.size) }),
      ...("header" in key && submissionId !== null ? { [key.header]: submissionId } : {}),
    },
    ...(body === undefined ? {} : { body: body.content }),
    acts: kindPolicies[endpoint.kind].actsAtInsurer,
  };
}

/** How an insurer differs from the declared contract where its answers are read. */
export interface AnswerReading {
  /** What makes the declared value of the insurer's JSON, by its schema; undefined where they are the same. */
  readonly readerOf?: (schema: Schema<unknown>) => ((value: unknown) => unknown) | undefined;
  /** How the insurer was asked for a page. */
  readonly asked?: AskedPage;
}

/** Reads the answer of an insurer that answers with the declared bodies. */
export async function answerOfDeclared(
  endpoint: Endpoint,
  input: CheckedInput,
  response: InsurerResponse,
  { decoded }: Pick<AdapterContext, "decoded">,
  { asked, readerOf }: AnswerReading = {},
): Promise<AdapterAnswer> {
  const { headers, mediaType, status } = response;
  if (endpoint.files !== undefined && status === 200) return fileIn(endpoint, response);
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
  if (declaredAnswer !== undefined && isEmptyAnswer(declaredAnswer))
    return emptyAnswer(status, text);
  const written = answerIn(status, mediaType, text);
  if (written.type !== "value") return written;
  const schema = declaredAnswer && jsonAnswerOf(declaredAnswer);
  const read = schema && readerOf?.(schema);
  const answer: AdapterAnswer & { readonly type: "value" } =
    read === undefined ? written : { type: "value", status, value: read(written.value) };
  decoded?.({ content: answer.value, form: { type: "declared", status, mediaType } });
  if (endpoint.kind !== "search") return answer;
  const paging = headersOfPage(endpoint, input, { value: answer.value, headers }, asked);
  return paging === null
    ? { type: "unreadable", status, detail: "The insurer's next page cannot be requested." }
    : { ...answer, headers: paging };
}

/** Where our name for a submission travels; nowhere for other kinds. */
function keyOf(
  { keyAt = { header: "idempotency-key" } }: Endpoint,
  submissionId: string | null,
): KeyPlace | Record<never, never> {
  return submissionId === null ? {} : keyAt;
}

function answerIn(status: number, mediaType: string, text: string): AdapterAnswer {
  if (status < 200 || status > 299) {
    const content = isJson(mediaType) ? (parseJson(text)?.value ?? null) : null;
    const faults = mediaType === PROBLEM ? faultsIn(content) : [];
    return { type: "refusal", status, mediaType, content, faults };
  }
  const parsed = isJson(mediaType) ? parseJson(text) : null;
  if (parsed === null)
    return { type: "unreadable", status, detail: "The insurer's answer is not JSON." };
  const { isAsWritten, value } = parsed;
  return { type: "value", status, value, ...(isAsWritten ? { text } : {}) };
}

/** An answer without a body must come without one: a page in its place is not the insurer's. */
function emptyAnswer(status: number, text: string): AdapterAnswer {
  return text.trim() === ""
    ? { type: "value", status, value: undefined }
    : { type: "unreadable", status, detail: "The insurer's answer has a body, and declares none." };
}

function faultsIn(content: unknown): readonly Fault[] {
  const { errors }: { errors?: unknown } = { ...asObject(content) };
  return Array.isArray(errors) ? errors.flatMap(faultIn) : [];
}

/** Takes the place of a fault from an insurer, never its words: they may quote the customer. */
function faultIn(value: unknown): readonly Fault[] {
  const { pointer }: { pointer?: unknown } = { ...asObject(value) };
  if (typeof pointer !== "string" || !/^(\/[A-Za-z][A-Za-z_]{0,63}|\/\d{1,3}){1,8}$/.test(pointer))
    return [];
  return [{ pointer, code: "INVALID", message: "was refused by the insurer" }];
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
