import { randomUUID } from "node:crypto";
import type { Download, Gateway, WithResponse } from "@insurance-gateway/core";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { headersOfPaging, pagingOf } from "@insurance-gateway/core/runtime";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { CallParts } from "../tools/arguments.ts";
import type { EndpointTool } from "../tools/endpoint-tools.ts";
import { failureAnswer, jsonResult, type ToolAnswer } from "./answers.ts";
import { contextOf, type EarlierCall, errorAnswer } from "./failures.ts";
import { checkedRequestId, escapeInvisible } from "./untrusted-text.ts";

export interface EndpointCallOptions {
  /** Cancels the call. Never set for a submission. */
  readonly signal?: AbortSignal;
  /** Set only for a submission. */
  readonly idempotencyKey?: string;
  /** Set only for a submission: a model generates its key. */
  readonly keyIsGenerated?: true;
  /** The knowledge of an earlier call with the key. */
  readonly earlier?: EarlierCall;
}

/** The largest document that an answer embeds; base64 makes it a third larger. */
const MAX_DOCUMENT_BYTES = 5 * 1024 * 1024;

/** Calls an endpoint through the gateway's client, which validates the answer. */
export async function callEndpoint(
  gateway: Gateway,
  tool: EndpointTool,
  parts: CallParts,
  { earlier = "none", ...options }: EndpointCallOptions,
): Promise<ToolAnswer> {
  const { endpoint } = tool;
  const input = { ...parts, ...options };
  try {
    if (endpoint.kind !== "document")
      return jsonAnswer(endpoint, await gateway.call(endpoint, input).withResponse());
    // TypeScript does not narrow the endpoint's type by its kind.
    const file = gateway.call(endpoint as Endpoint<"document">, input);
    return await documentAnswer(tool, await file.withResponse());
  } catch (error) {
    return errorAnswer(contextOf(tool, earlier), error);
  }
}

function jsonAnswer(endpoint: Endpoint, { data, response }: WithResponse<unknown>): ToolAnswer {
  const { headers, status } = response;
  const requestId = checkedRequestId(response.requestId);
  const idempotencyReplayed = headers["idempotency-replayed"] === "true";
  const { content, ...structured } = jsonResult(data);
  return {
    result: {
      ...structured,
      content: [...content, ...pagingContent(endpoint, headers)],
      _meta: { requestId, ...(idempotencyReplayed ? { idempotencyReplayed } : {}) },
    },
    message: "answered",
    fields: { status, requestId: requestId ?? undefined },
  };
}

/** Returns the paging headers, such as the next cursor and the total, as text: a model does not see headers. */
function pagingContent(
  endpoint: Endpoint,
  headers: Readonly<Record<string, string>>,
): CallToolResult["content"] {
  if (endpoint.kind !== "search") return [];
  return headersOfPaging(pagingOf(endpoint)).flatMap((name) =>
    headers[name] === undefined
      ? []
      : [{ type: "text" as const, text: escapeInvisible(`${name}: ${headers[name]}`) }],
  );
}

async function documentAnswer(
  { endpointName, provider }: EndpointTool,
  { data, response }: WithResponse<Download>,
): Promise<ToolAnswer> {
  const { status } = response;
  const requestId = checkedRequestId(response.requestId);
  const bytes = await readUpTo(data, MAX_DOCUMENT_BYTES);
  if (bytes === null)
    return failureAnswer(
      {
        code: "DOCUMENT_TOO_LARGE",
        // A retry would be refused again.
        outcome: "rejected",
        retry: "never",
        message:
          "This server refused the document: it is larger than 5 MB, the limit for the answer of a tool.",
        next: "Download it from the gateway with another program, such as curl.",
        requestId,
        errors: [],
      },
      status,
    );
  const { fileName, mediaType } = data;
  const { content, ...structured } = jsonResult({ fileName, mediaType, bytes: bytes.length });
  // Unique for each answer, and without a value that was sent.
  const uri = `insurance-gateway://${provider.id}/${endpointName}/${randomUUID()}/${encodeURIComponent(fileName)}`;
  const resource = { uri, mimeType: escapeInvisible(mediaType), blob: bytes.toString("base64") };
  return {
    result: {
      ...structured,
      content: [...content, { type: "resource", resource }],
      _meta: { requestId },
    },
    message: "answered",
    fields: { status, requestId: requestId ?? undefined },
  };
}

/** Returns the bytes of a document, or null if it is larger than the limit. */
async function readUpTo(document: Download, limit: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of document.stream()) {
    size += chunk.byteLength;
    // Leaving the loop cancels the rest of the download.
    if (size > limit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
