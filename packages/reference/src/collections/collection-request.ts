import { createHash } from "node:crypto";
import { isJson } from "@insurance-gateway/core/runtime";
import type { JsonSchema, OpenApiDocument, ResponseObject } from "../document/open-api.ts";
import { operationsOf } from "../document/provider-document.ts";
import { bodyText, isUpload } from "../snippets/bodies.ts";
import {
  exampleNames,
  firstMedia,
  type PlacedOperation,
  sampleRequest,
} from "../snippets/sample-request.ts";

/** A request for one example of an endpoint, independent of the API client (Postman, Bruno). */
export interface CollectionRequest {
  /** The request's id. The id is the same in every build, so an API client recognises the request in a new import. */
  readonly id: string;
  /** The name of the collection's folder for the request. */
  readonly folder: string;
  readonly name: string;
  readonly description: string;
  readonly method: string;
  /** The path with its values, from the provider's id on: `/provider-d/applications`. */
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: readonly (readonly [string, string])[];
  /** The body as text; null without a body. */
  readonly body: string | null;
  readonly isJson: boolean;
  /** True if a script creates a new key before the request is sent. */
  readonly makesKey: boolean;
  /** True if the answer's `Location` leads to a submission, whose id a script stores in a variable. */
  readonly keepsId: boolean;
  readonly expected: ExpectedAnswer;
}

/** The answer that the document describes for a request of a collection. */
export interface ExpectedAnswer {
  /** The expected status, and other statuses that a repeated run may get. */
  readonly statuses: readonly [number, ...number[]];
  readonly mediaType: string;
  /** The required fields of the body. */
  readonly fields: readonly string[];
  /** The code of a problem; null for another answer. */
  readonly code: string | null;
  /** True if the answer is the stored answer of an earlier request with the same key. */
  readonly isReplay: boolean;
  /** The answer of the example as text; null for a file or a problem. */
  readonly body: string | null;
}

/**
 * The variables that the scripts of a collection set: the idempotency key, and the gateway's id of the last
 * submission.
 */
export const collectionVariables = { key: "submissionKey", id: "submissionId" } as const;

/** A script expression for a new idempotency key. API clients have no common function for a UUID. */
export const NEW_KEY = "Date.now().toString(36) + Math.random().toString(36).slice(2)";

/**
 * The parameter `generated` tells the gateway that a program created the key, so an equal request is not a second
 * submission.
 */
const GENERATED_KEY = `"{{${collectionVariables.key}}}";generated`;

/** The parameters of the gateway's own endpoints that read a submission, with the variables as values. */
const parameterVariables: Readonly<Record<string, string>> = {
  submissionId: `{{${collectionVariables.id}}}`,
  "idempotency-key": `{{${collectionVariables.key}}}`,
};

/** Writes every example of a document as a request. */
export function collectionRequests(document: OpenApiDocument): readonly CollectionRequest[] {
  return operationsOf(document).flatMap((placed) => {
    // API clients would write the form from files that do not exist on the user's machine.
    if (isUpload({ mediaType: firstMedia(placed.operation.requestBody)?.mediaType ?? null }))
      return [];
    const names = exampleNames(placed.operation);
    // Examples of a submission's state differ only in the answer.
    const sent = isOwn(document) ? names.slice(0, 1) : names;
    return sent.map((example) => requestOf(placed, example, sent.length, document));
  });
}

function isOwn({ info }: OpenApiDocument): boolean {
  return info["x-provider"].id === "";
}

/** Writes one example of an operation. */
export function requestOf(
  placed: PlacedOperation,
  example: string,
  count: number,
  document: OpenApiDocument,
): CollectionRequest {
  const { operation } = placed;
  const sample = sampleRequest(placed, { address: "" }, example);
  const { acts, body, headers, method, params, queryTexts, url } = sample;
  const variables = isOwn(document) ? parameterVariables : {};
  const text = bodyText(sample);
  return {
    id: stableId(`${document.info["x-provider"].id} ${operation.operationId} ${example}`),
    folder: operation.tags[0] ?? "",
    name: count === 1 ? operation.operationId : `${operation.operationId} (${example})`,
    description: [operation.summary, operation.description].join("\n\n"),
    method,
    path: Object.entries(params).reduce(
      (path, [name, value]) => path.replace(String(value), variables[name] ?? String(value)),
      url,
    ),
    query: queryTexts,
    headers: [
      ...(text === null ? [] : [["Content-Type", text.mediaType] as const]),
      ...Object.entries(headers).map(
        ([name, value]) => [name, variables[name] ?? String(value)] as const,
      ),
      ...(acts ? [["Idempotency-Key", GENERATED_KEY] as const] : []),
    ],
    body: text && (isJson(text.mediaType) ? JSON.stringify(body, null, 2) : text.text),
    isJson: text === null || isJson(text.mediaType),
    makesKey: acts,
    keepsId: acts,
    expected: expectedOf(placed, example, document),
  };
}

function expectedOf(
  { operation }: PlacedOperation,
  example: string,
  document: OpenApiDocument,
): ExpectedAnswer {
  const [status = "200", response] =
    Object.entries(operation.responses).find(([code]) => code.startsWith("2")) ?? [];
  const content = response !== undefined && "content" in response ? response.content : undefined;
  const [mediaType = "", media] =
    Object.entries<NonNullable<ResponseObject["content"]>[string]>(content ?? {})[0] ?? [];
  const answer = media?.examples?.[example] ?? Object.values(media?.examples ?? {})[0];
  return {
    statuses: [Number(status)],
    mediaType,
    code: null,
    isReplay: false,
    fields: requiredFields(media?.schema ?? {}, document),
    body: answer === undefined ? null : JSON.stringify(answer.value, null, 2),
  };
}

function requiredFields(schema: JsonSchema, document: OpenApiDocument): readonly string[] {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  const resolved = name === undefined ? schema : document.components.schemas[name];
  return resolved?.required ?? [];
}

/** Returns a UUID of version 8 (RFC 9562, section 5.8) derived from a digest of the text. */
export function stableId(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
