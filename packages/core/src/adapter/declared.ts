import { answerOf, isEmptyAnswer } from "../contract/answers.ts";
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
import { encodeHeaders, encodeQuery } from "../contract/query.ts";
import { writeBody } from "../transport/request-body.ts";
import {
  type Adapter,
  type AdapterAnswer,
  fileIn,
  type InsurerRequest,
  parseJson,
} from "./adapter.ts";
import { headersOfPage } from "./page-headers.ts";

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
    const { submissionId } = context;
    const response = await send(requestOf(endpoint, input, submissionId));
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
    const answer = answerIn(status, mediaType, text);
    if (answer.type !== "value") return answer;
    context.decoded?.({ content: answer.value, form: { type: "declared", status, mediaType } });
    if (endpoint.kind !== "search") return answer;
    const paging = headersOfPage(endpoint, input, { value: answer.value, headers });
    return paging === null
      ? { type: "unreadable", status, detail: "The insurer's next page cannot be requested." }
      : { ...answer, headers: paging };
  },
};

function requestOf(
  endpoint: Endpoint,
  input: CheckedInput,
  submissionId: string | null,
): InsurerRequest {
  const { accept, headers, mediaType = "application/json", params } = input;
  const key = keyOf(endpoint, submissionId);
  const value = "body" in key ? withValueAt(input.body, key.body, submissionId) : input.body;
  const body = value === undefined ? undefined : writeBody(mediaType, value, isReceivedFile);
  const query = "query" in key ? { ...input.query, [key.query]: submissionId } : input.query;
  return {
    method: endpoint.method,
    path: fillPath(endpoint.path, params) + encodeQuery(query, endpoint.query),
    headers: {
      ...encodeHeaders(headers),
      accept: [...(accept ?? answerTypes(endpoint)), PROBLEM].join(", "),
      ...(body === undefined ? {} : { "content-type": body.contentType }),
      ...(body === undefined || body.size === null ? {} : { "content-length": String(body.size) }),
      ...("header" in key && submissionId !== null ? { [key.header]: submissionId } : {}),
    },
    ...(body === undefined ? {} : { body: body.content }),
    acts: kindPolicies[endpoint.kind].actsAtInsurer,
  };
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
